// Unit tests of the names of saved pictures.

import assert from 'node:assert/strict';
import test from 'node:test';

const page = new URL('../../../../../symbolizer/report/html/page/', import.meta.url);
const {fileStem} = await import(new URL('flame_picture.js', page).href);

test('a file is named after the program, without what a folder or a shell would read', () => {
  assert.equal(fileStem('/usr/bin/app --fast', 'flame'), 'app-flame');
  assert.equal(fileStem('', 'flame'), 'csink-flame');
  assert.equal(fileStem('../..', 'changes'), 'csink-changes');
  assert.equal(fileStem('/bin/$(x)\u202e"<b>', 'flame'), '_x_b_-flame');
  assert.equal(fileStem('.hidden', 'flame'), 'hidden-flame');
  assert.equal(fileStem('n'.repeat(500), 'flame').length, 66);
});
