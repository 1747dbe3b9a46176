/// File: gives csink_test_pch, the owner of the tests' precompiled header, something to compile.
