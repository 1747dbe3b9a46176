// Names in little room: node --test.

import assert from 'node:assert/strict';
import test from 'node:test';

const {fittingName, shortenFunction} = await import(new URL('../../../../../symbolizer/report/html/page/names.js', import.meta.url).href);

test('templates are emptied from the inside, as in text reports', () => {
  const name = 'std::vector<std::pair<int, long>, std::allocator<std::pair<int, long> > >::push_back(std::pair<int, long>&&)';
  assert.equal(shortenFunction(name, 200), name);
  assert.equal(shortenFunction(name, 40), 'std::vector<\u2026>::push_back(\u2026)');
  assert.equal(shortenFunction(name, 26), 'std::vector<\u2026>::push_back');
  assert.equal(shortenFunction('bool operator<(Item const&, Item const&)', 20), 'bool operator<(\u2026)');
  assert.equal(shortenFunction('<alloc::vec::Vec<T> as Drop>::drop', 30), '<alloc::v\u2026ec<T> as Drop>::drop');
  assert.equal(shortenFunction('abcdefghijklmnopqrstuvwxyz', 10), 'abc\u2026uvwxyz');
  assert.equal(shortenFunction('abcdefghijklmnopqrstuvwxyz', 4), 'abc\u2026');
});

test('a name of many brackets takes no long time', () => {
  const begin = performance.now();
  assert.ok(shortenFunction('f' + '<a,'.repeat(20000), 70).length <= 70);
  assert.ok(shortenFunction('<('.repeat(2000) + ')>'.repeat(2000), 70).length <= 70);
  assert.ok(performance.now() - begin < 2000);
});

test('a name is cut behind a word', () => {
  const widthOf = text => 10 * text.length;
  assert.equal(fittingName('main', 40, widthOf), 'main');
  assert.equal(fittingName('first_word(second)', 80, widthOf), 'first\u2026');
  assert.equal(fittingName('void std::__introsort_loop<double*, long>(double*, double*, long)', 250, widthOf), 'std::__introsort_loop<\u2026>');
  assert.equal(fittingName('void std::__introsort_loop<double*, long>(double*, double*, long)', 200, widthOf), '\u2026__introsort_loop<\u2026>');
  assert.equal(fittingName('std::sort_all', 60, widthOf), 'sort\u2026');
  assert.equal(fittingName('abcdefghijkl', 60, widthOf), 'abcde\u2026');
  assert.equal(fittingName('abcdefgh', 20, widthOf), '');
  for (const room of [45, 73, 120, 300]) assert.ok(widthOf(fittingName('ns::klass<int, long>::member(char)', room, widthOf)) <= room);
});
