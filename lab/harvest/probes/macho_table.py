"""The head of the PJRT function table that stands ready in the data of a Mach-O library: of Apple's plug-in since 0.0.5.

macho_table.py LIBRARY

Prints the size of the table, the size of the version, the major and the minor version, then the offsets of empty slots. Nothing
if the table is not there, or is extended, because what a loader would put there is not known. Needs llvm-nm.
"""
import struct
import subprocess
import sys

SYMBOL = "pjrt_api"
HEAD = "<QQQQii"
FIRST_SLOT, SLOT = 40, 8
SEGMENT = 0x19


def segments(data):
    at = 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        command, size = struct.unpack_from("<II", data, at)
        if command == SEGMENT:
            yield struct.unpack_from("<QQQQ", data, at + 24)
        at += size


def main(path):
    with open(path, "rb") as file:
        data = file.read()
    listed = subprocess.run(["llvm-nm", path], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in listed.splitlines() if SYMBOL in line]
    # In a section of constants, under a name of its own namespace.
    places = [int(line[0], 16) for line in lines if len(line) == 3 and line[1] == "s" and line[2].endswith(f"L8{SYMBOL}E")]
    for address in places:
        for start, length, offset, _ in segments(data):
            if start <= address < start + length:
                at = offset + address - start
                size, extensions, version_size, of_version, major, minor = struct.unpack_from(HEAD, data, at)
                if extensions or of_version:
                    continue
                slots = range(FIRST_SLOT, size, SLOT)
                empty = [slot for slot in slots if struct.unpack_from("<Q", data, at + slot)[0] == 0]
                print(size, version_size, major, minor, *empty)


main(sys.argv[1])
