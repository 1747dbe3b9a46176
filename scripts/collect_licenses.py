#!/usr/bin/env python3
"""Collects the licence texts of the code that is linked into ours, and writes an SPDX 2.3 SBOM (JSON).

  scripts/collect_licenses.py --version 1.0.0 --licenses FOLDER --sbom FILE [--gcc N] [--llvm N]
                               [--doc FOLDER] [--strict]

scripts/lib/linked.list names the Debian packages. Texts are copied from /usr/share/doc/PACKAGE/copyright, versions
come from dpkg-query. A package that is not installed is not linked, and is left out with a line on stderr; so on a
system without dpkg-query the SBOM has our own package alone. With --strict, which packages are built with, each is an
error: exit status 1, and so is a missing text. The date is SOURCE_DATE_EPOCH, else that of the last
commit, else now: the same source gives the same bytes.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "scripts" / "lib" / "linked.list"
HOWS = {"linked": "STATIC_LINK", "header": "STATIC_LINK", "shared": "DYNAMIC_LINK", "opened": "OPTIONAL_DEPENDENCY_OF"}
PUBLIC_DOMAIN = "LicenseRef-public-domain"


def rows(text):
    """(how, package, licence, what) of each row. The licence may have blanks: it ends before two of them."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        how, package, rest = line.split(None, 2)
        licence, _, what = rest.partition("  ")
        if how not in HOWS or not what.strip():
            raise ValueError(f"{LIST.name}:{number}: not HOW PACKAGE LICENCE  WHAT")
        found.append((how, package, licence.strip(), what.strip()))
    return found


def installed_version(package):
    """The version of an installed Debian package; "" if it is not installed, or there is no dpkg."""
    try:
        done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}\n", package],
                              capture_output=True, text=True, check=False)
    except OSError:
        return ""
    for line in done.stdout.splitlines():  # a line for each architecture
        status, _, version = line.partition(" ")
        if status == "installed":
            return version
    return ""


def used(listed, gcc, llvm):
    """The rows with the N of a package's name replaced. Without a number, the row is left out."""
    found = []
    for how, package, licence, what in listed:
        number = gcc if "stdc++" in package else llvm
        if "-N-" in package:
            if not number:
                continue
            package = package.replace("-N-", f"-{number}-")
        found.append((how, package, licence, what))
    return found


def date():
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        try:
            epoch = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True,
                                   check=False).stdout.strip()
        except OSError:
            pass
    now = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc) if epoch else \
        datetime.datetime.now(datetime.timezone.utc)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def package_of(name, version, licence, comment):
    return {"SPDXID": "SPDXRef-" + name.replace("+", "p").replace("_", "-"), "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION", "comment": comment}


def debian(name, version, licence, what):
    package = package_of(name, version, licence, what)
    package["supplier"] = "Organization: Debian"
    package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                "referenceLocator": f"pkg:deb/debian/{name.replace('+', '%2B')}@{version.replace('+', '%2B').replace(':', '%3A')}"}]
    return package


def sbom(version, found, created):
    """The document. `found`: (how, package, licence, what, version)."""
    ours = package_of("countersink", version, "BSD-3-Clause", "csink, libagent.so, libpapi, libapapi, atime")
    ours["copyrightText"] = "Copyright (c) 2026, the Countersink founders"
    packages, relations = [ours], [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                                    "relatedSpdxElement": ours["SPDXID"]}]
    for how, name, licence, what, its_version in found:
        package = debian(name, its_version, licence, what)
        packages.append(package)
        first, second = ours["SPDXID"], package["SPDXID"]
        if how == "opened":  # "A is an optional dependency of B"
            first, second = second, first
        relations.append({"spdxElementId": first, "relationshipType": HOWS[how], "relatedSpdxElement": second})
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                "name": f"countersink-{version}", "documentNamespace": "",
                "creationInfo": {"created": created, "creators": ["Tool: countersink-collect_licenses"]},
                "packages": packages, "relationships": relations}
    if any(row[2] == PUBLIC_DOMAIN for row in found):
        document["hasExtractedLicensingInfos"] = [{
            "licenseId": PUBLIC_DOMAIN, "name": "public domain",
            "extractedText": "The authors put this code into the public domain; see the licence text of the package."}]
    # Unique for each content, and the same for the same content.
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:32]
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/countersink-{version}-{digest}"
    return document


def collect(arguments):
    found, missing = [], 0
    folder = pathlib.Path(arguments.licenses)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for row in used(rows(LIST.read_text()), arguments.gcc, arguments.llvm):
        how, package = row[:2]
        version = installed_version(package)
        if not version:
            print(f"collect_licenses: {package} is not installed: left out", file=sys.stderr)
            missing += how != "opened"
            continue
        found.append((*row, version))
        if how == "opened":
            continue
        text = pathlib.Path(arguments.doc) / package / "copyright"
        if not text.is_file():
            print(f"collect_licenses: {text} is missing, the licence text of what is linked", file=sys.stderr)
            missing += 1
            continue
        (folder / package).write_bytes(text.read_bytes())
    (folder / "README").write_text(
        "The licence texts of the code that is linked into these programs and libraries, by Debian package.\n"
        "countersink.spdx.json says what of each is used. Our own licence is ../LICENSE.\n")
    document = sbom(arguments.version, found, date())
    pathlib.Path(arguments.sbom).write_text(json.dumps(document, indent=2) + "\n")
    return 1 if missing and arguments.strict else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", required=True, help="our version")
    parser.add_argument("--licenses", required=True, metavar="FOLDER", help="made anew, one text a package")
    parser.add_argument("--sbom", required=True, metavar="FILE")
    parser.add_argument("--gcc", default="", metavar="N", help="major version of the C++ runtime")
    parser.add_argument("--llvm", default="", metavar="N", help="major version of LLVM's demangler, if it is used")
    parser.add_argument("--doc", default="/usr/share/doc", metavar="FOLDER")
    parser.add_argument("--strict", action="store_true", help="fail where a package or text is missing")
    return collect(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
