# shellcheck shell=bash disable=SC2154
# Sourced by check_install: target uninstall takes away what was installed and nothing else ($scratch and check are the
# caller's). The tree that the other checks use was moved, so nothing of it is removed.
second=$scratch/second
mkdir -p "$second/bin" "$second/share/doc/other"
touch "$second/bin/other" "$second/share/doc/other/README"
(cd "$second" && find . | sort) >"$scratch/before.txt"
rm -f build/release/install_folders.txt
installs_twice() {
    cmake --install build/release --prefix "$second" >/dev/null && cmake --install build/release --prefix "$second" >/dev/null
}
check "a second installation into another prefix" installs_twice
check "it is there" [ -x "$second/bin/csink" ]
uninstalls() { cmake --build build/release --target uninstall >"$scratch/log2" 2>&1 || { cat "$scratch/log2"; false; }; }
check "the target uninstall" uninstalls
nothing_left() { (cd "$second" && find . | sort) | diff "$scratch/before.txt" -; }
check "leaves what was there before, and nothing else" nothing_left
nothing_to_remove() { ! cmake --build build/release --target uninstall >"$scratch/log2" 2>&1 && grep -q "Nothing was installed" "$scratch/log2"; }
check "once more, it says that there is nothing to remove" nothing_to_remove
