"""csink symbolize: addresses in, functions and lines out, whatever file is named."""

import os
import select
import subprocess

import csink_e2e as e2e

SOURCE = """
int leaf(int x) __attribute__((noinline));
int leaf(int x) { return x * 3 + x / 7; }
int main(int argc, char **argv) { (void)argv; return leaf(argc); }
"""


class Symbolize(e2e.E2eTest):

    def sh(self, command):
        return subprocess.run(["sh", "-ec", command], cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def build(self, flags="", source=SOURCE):
        with open(os.path.join(self.folder, "a.c"), "w", encoding="utf-8") as f:
            f.write(source)
        self.sh(f"gcc -O1 -g {flags} a.c -o a")

    def address_of(self, name, file="a"):
        return next(line.split()[0] for line in self.sh(f"nm {file}").splitlines() if line.endswith(" " + name))

    def symbolize(self, file, addresses, *options):
        command = [e2e.TOOL, "symbolize", *options, "--module", os.path.join(self.folder, file)]
        done = subprocess.run(command, env=e2e.tool_environment(), input=addresses, capture_output=True, text=True,
                              timeout=e2e.HANG_SECONDS, check=False)
        return done.returncode, done.stdout.splitlines(), done.stderr


class Input(Symbolize):

    def test_a_program_that_asks_one_address_after_the_other_is_answered(self):
        self.build()
        address = self.address_of("leaf")
        command = [e2e.TOOL, "symbolize", "--module", os.path.join(self.folder, "a")]
        with subprocess.Popen(command, env=e2e.tool_environment(), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as tool:
            for _ in range(3):
                tool.stdin.write(address.encode() + b"\n")
                tool.stdin.flush()
                answer = b""
                while answer.count(b"\n") < 3:
                    self.assertTrue(select.select([tool.stdout], [], [], e2e.HANG_SECONDS)[0], "no answer")
                    answer += os.read(tool.stdout.fileno(), 4096)
                self.assertEqual(answer.split(b"\n")[1], b"leaf")
            tool.stdin.close()
            self.assertEqual(tool.wait(e2e.HANG_SECONDS), 0)

    def test_lines_of_other_systems_and_blanks_are_read(self):
        self.build()
        status, lines, err = self.symbolize("a", f"0x{self.address_of('leaf')} \r\n\r\n")
        self.assertEqual((status, lines[1], err), (0, "leaf", ""))
        self.assertTrue(lines[2].endswith("a.c:3"), lines)

    def test_a_debug_file_that_does_not_fit_is_told(self):
        self.build("-Wl,--build-id=none")
        address = self.address_of("leaf")
        self.sh("objcopy --only-keep-debug a a.debug; strip a; objcopy --add-gnu-debuglink=a.debug a")
        self.assertEqual(self.symbolize("a", address)[1][1], "leaf")
        self.sh("printf x >> a.debug")
        status, lines, err = self.symbolize("a", address)
        self.assertEqual((status, lines[2]), (0, "??:0"))
        self.assertIn("a.debug belongs to another build (CRC ", err)


class Files(Symbolize):

    def expect_leaf(self, file, address, *options):
        status, lines, err = self.symbolize(file, address, *options)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(lines[1], "leaf", file)
        self.assertTrue(lines[2].endswith("a.c:3"), lines)

    def test_a_separate_debug_file_answers_as_its_program_does(self):
        self.build()
        self.sh("objcopy --only-keep-debug a a.debug")
        self.expect_leaf("a.debug", self.address_of("leaf"))
        self.assertEqual(self.symbolize("a.debug", "1")[1], ["0x1", "??", "??:0"])

    def test_an_object_file_answers_as_addr2line_does(self):
        for flags in "", "-gz", "-gdwarf-4", "-ffunction-sections":
            with self.subTest(flags=flags):
                self.build("-c " + flags)
                addresses = [f"{n:x}" for n in range(0, 24, 3)]
                asked = "-j .text.leaf" if "sections" in flags else ""
                options = ["--section", ".text.leaf"] if "sections" in flags else []
                theirs = self.sh(f"addr2line -f -e a {asked} {' '.join(addresses)}").splitlines()
                status, ours, err = self.symbolize("a", "\n".join(addresses), *options)
                self.assertEqual((status, err), (0, ""))
                for i in range(len(addresses)):
                    self.assertEqual(ours[3 * i + 1], theirs[2 * i])
                    line = theirs[2 * i + 1].split(" (discriminator")[0].replace(":?", ":0")
                    self.assertEqual(ours[3 * i + 2].rsplit("/", 1)[-1], line.rsplit("/", 1)[-1])

    def test_a_module_is_found_its_debug_file(self):
        self.build("-c")
        self.sh("ld -r --build-id a -o a.ko; objcopy --only-keep-debug a.ko a.debug; strip -g a.ko;"
                "objcopy --add-gnu-debuglink=a.debug a.ko")
        self.expect_leaf("a.ko", self.address_of("leaf", "a.ko"))
        self.expect_leaf("a.ko", "0", "--section", ".text")

    def test_what_is_not_read_is_refused_with_its_reason(self):
        self.build("-c")
        with open(os.path.join(self.folder, "a"), "rb") as f:
            elf = bytearray(f.read())
        for changes, options, reason in [
                ({5: 2}, [], "is a big-endian ELF file"), ({16: 4}, [], "is a core file"),
                ({18: 243}, [], "architecture whose relocations are not supported"),
                ({}, ["--section", ".nothing"], "has no code section named .nothing")]:
            changed = bytearray(elf)
            for at, byte in changes.items():
                changed[at] = byte
            with open(os.path.join(self.folder, "changed"), "wb") as f:
                f.write(changed)
            status, lines, err = self.symbolize("changed", "0", *options)
            self.assertEqual((status, lines), (1, []))
            self.assertIn(reason, err)

    def test_a_file_without_names_is_told(self):
        self.build()
        address = self.address_of("leaf")
        self.sh("strip a")
        self.assertIn("has no symbol table and no debug information", self.symbolize("a", address)[2])


if __name__ == "__main__":
    e2e.main()
