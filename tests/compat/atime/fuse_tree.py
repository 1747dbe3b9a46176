"""A tree of files in user space (FUSE, without a library), whose contents a function makes at each read."""

import ctypes
import errno
import os
import stat
import struct
import threading

LIBC = ctypes.CDLL(None, use_errno=True)
IN_HEADER, OUT_HEADER = struct.Struct("=IIQQIIIHH"), struct.Struct("=IiQ")
LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, INTERRUPT, BATCH_FORGET = (
    1, 2, 3, 14, 15, 17, 18, 25, 26, 27, 28, 29, 36, 42)
DIRECT_IO = 1


class Tree:
    """`files`: path -> text, or a function that returns a text, raises OSError, or does not return: each read
    has a thread of its own. Mounted at `folder` until close()."""

    def __init__(self, folder, files):
        self.folder = folder
        self.nodes, self.children, self.contents = {(): 1}, {1: {}}, {}
        for path, content in files.items():
            self.add(tuple(path.split("/")), content)
        self.fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = f"fd={self.fd},rootmode=40000,user_id=0,group_id=0,allow_other"
        if LIBC.mount(b"test", folder.encode(), b"fuse", 0, options.encode()) != 0:
            os.close(self.fd)
            raise OSError(ctypes.get_errno(), "FUSE cannot be mounted: " + os.strerror(ctypes.get_errno()))
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def add(self, path, content):
        parent = 1
        for depth, name in enumerate(path):
            if path[:depth + 1] not in self.nodes:
                node = self.nodes[path[:depth + 1]] = len(self.nodes) + 1
                self.children[parent][name] = node
                if depth + 1 < len(path):
                    self.children[node] = {}
                else:
                    self.contents[node] = content
            parent = self.nodes[path[:depth + 1]]

    def close(self):
        LIBC.umount2(self.folder.encode(), 2)  # MNT_DETACH

    def attributes(self, node):
        folder = node in self.children
        mode = (stat.S_IFDIR | 0o755) if folder else (stat.S_IFREG | 0o444)
        return struct.pack("=QQQQQQIIIIIIIIII", node, 0 if folder else 4096, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def answer(self, unique, body=b"", error=0):
        try:
            os.write(self.fd, OUT_HEADER.pack(OUT_HEADER.size + len(body), -error, unique) + body)
        except OSError:
            pass  # the reader has gone, or the tree is unmounted

    def serve(self):
        while True:
            try:
                request = os.read(self.fd, 1 << 17)
            except OSError as failure:
                if failure.errno in (errno.EINTR, errno.ENOENT):
                    continue
                return
            if not request:
                return
            self.handle(*IN_HEADER.unpack_from(request)[1:4], request[IN_HEADER.size:])

    def handle(self, operation, unique, node, rest):
        if operation == INIT:
            major, minor, readahead, _ = struct.unpack_from("=IIII", rest)
            self.answer(unique, struct.pack("=IIIIHHIIHHI28x", 7, min(minor, 31), readahead, 0, 12, 9, 4096, 1, 1, 0, 0))
        elif operation == LOOKUP:
            child = self.children.get(node, {}).get(rest.split(b"\0")[0].decode())
            if child is None:
                return self.answer(unique, error=errno.ENOENT)
            self.answer(unique, struct.pack("=QQQQII", child, 0, 60, 60, 0, 0) + self.attributes(child))
        elif operation == GETATTR:
            self.answer(unique, struct.pack("=QII", 60, 0, 0) + self.attributes(node))
        elif operation in (OPEN, OPENDIR):
            self.answer(unique, struct.pack("=QII", 0, DIRECT_IO if operation == OPEN else 0, 0))
        elif operation == READDIR:
            self.answer(unique, self.listing(node) if struct.unpack_from("=QQ", rest)[1] == 0 else b"")
        elif operation == READ:
            offset = struct.unpack_from("=QQ", rest)[1]
            threading.Thread(target=self.read, args=(unique, node, offset), daemon=True).start()
        elif operation in (FORGET, BATCH_FORGET, INTERRUPT):
            pass  # these have no answer
        elif operation in (FLUSH, RELEASE, RELEASEDIR):
            self.answer(unique)
        else:
            self.answer(unique, error=errno.ENOSYS)

    def listing(self, node):
        body = b""
        for name, child in self.children[node].items():
            entry = struct.pack("=QQII", child, len(body) + 1, len(name), 0) + name.encode()
            body += entry + bytes(-len(entry) % 8)
        return body

    def read(self, unique, node, offset):
        content = self.contents[node]
        if offset != 0:
            return self.answer(unique)
        try:
            text = content() if callable(content) else content
        except OSError as failure:
            return self.answer(unique, error=failure.errno)
        self.answer(unique, text.encode())
