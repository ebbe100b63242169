"""Makes stand-ins for the libraries of CUDA: `python cuda_stand_ins.py OBJECT OUT` for the libraries that OBJECT asks for.

They compute nothing: every function answers that it succeeded, there is one device, and memory of the device is memory. That is
enough for ONNX Runtime to make a session with its CUDA provider and to say where it puts each node, without a GPU.
"""

import os
import re
import subprocess
import sys

OWN = r"""
#include <stdlib.h>
#include <string.h>
static long handle[64];
static int makes(void **p) { *p = handle; return 0; }
static int takes(void **p, size_t n) { *p = malloc(n + 256); return 0; }
int cudaGetDeviceCount(int *n) { *n = 1; return 0; }
int cudaGetDevice(int *n) { *n = 0; return 0; }
int cudaMalloc(void **p, size_t n) { return takes(p, n); }
int cudaMallocAsync(void **p, size_t n, void *s) { return takes(p, n); }
int cudaMallocHost(void **p, size_t n) { return takes(p, n); }
int cudaHostAlloc(void **p, size_t n, unsigned flags) { return takes(p, n); }
int cudaFree(void *p) { free(p); return 0; }
int cudaFreeHost(void *p) { free(p); return 0; }
int cudaMemGetInfo(size_t *some, size_t *all) { *some = *all = (size_t)1 << 34; return 0; }
int cudaMemcpy(void *a, const void *b, size_t n, int kind) { memcpy(a, b, n); return 0; }
int cudaMemcpyAsync(void *a, const void *b, size_t n, int kind, void *s) { memcpy(a, b, n); return 0; }
/* The offsets of the memory and of the two numbers of the architecture, since CUDA 10. */
static int device(char *p, size_t n) {
    memset(p, 0, n);
    strcpy(p, "none");
    *(size_t *)(p + 288) = (size_t)1 << 34;
    *(int *)(p + 360) = 9;
    return 0;
}
int cudaGetDeviceProperties(char *p) { return device(p, 700); }
int cudaGetDeviceProperties_v2(char *p) { return device(p, 1000); }
int cudaDeviceGetAttribute(int *v, int which, int d) { *v = which == 75 ? 9 : which == 76 ? 0 : 64; return 0; }
int cudaDriverGetVersion(int *v) { *v = 13000; return 0; }
int cudaRuntimeGetVersion(int *v) { *v = 13000; return 0; }
int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
int cudaStreamCreate(void **p) { return makes(p); }
int cudaStreamCreateWithFlags(void **p, unsigned flags) { return makes(p); }
int cudaStreamCreateWithPriority(void **p, unsigned flags, int n) { return makes(p); }
int cudaEventCreate(void **p) { return makes(p); }
int cudaEventCreateWithFlags(void **p, unsigned flags) { return makes(p); }
int cublasCreate_v2(void **p) { return makes(p); }
int cublasLtCreate(void **p) { return makes(p); }
int cudnnCreate(void **p) { return makes(p); }
const char *cudaGetErrorString(int e) { return "stand-in"; }
const char *cudaGetErrorName(int e) { return "stand-in"; }
const char *cudnnGetErrorString(int e) { return "stand-in"; }
int cuGetErrorName(int e, const char **p) { *p = "stand-in"; return 0; }
size_t cudnnGetVersion(void) { return 90000; }
size_t cudnnGetCudartVersion(void) { return 13000; }
size_t cublasLtGetVersion(void) { return 130000; }
void **__cudaRegisterFatBinary(void *p) { return (void **)handle; }
"""


def read(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout


def compiled(path, source):
    subprocess.run(["cc", "-w", "-shared", "-fPIC", "-Wl,-soname," + os.path.basename(path), "-o", path, "-x", "c", "-"],
                   input=source, check=True, universal_newlines=True)


def main():
    path, out = sys.argv[1:]
    # Old wheels need none, and load some before.
    needed = set(re.findall(r"(?:\[|File: )(lib(?:cu|nv)[^\]\s]*)", read("readelf", "-d", "-V", path)))
    before = os.path.join(os.path.dirname(path), "_ld_preload.py")
    if os.path.exists(before):
        with open(before) as file:
            needed.update(re.findall(r"lib(?:cu|nv)\w*\.so[\w.]*", file.read()))
    wanted = re.findall(r" UND ((?:__)?(?:cu|nv)\w+)", read("readelf", "-W", "--dyn-syms", path))
    with open(path, "rb") as file:
        # Functions of the driver are looked up by name.
        wanted += [name.decode() for name in set(re.findall(rb"\0(cu[A-Z]\w{3,60})(?=\0)", file.read()))]
    there = set(re.findall(r"(\w+)\(", OWN))
    functions = "".join("long %s() { return 0; }\n" % name for name in sorted(set(wanted) - there))
    os.makedirs(out, exist_ok=True)
    for name in needed | {"libcuda.so.1"}:
        compiled(os.path.join(out, name), OWN + functions)


main()
