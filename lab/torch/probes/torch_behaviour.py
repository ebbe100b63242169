"""Prints what single operators do on whatever PyTorch runs this, 1.4 or later: the measurements behind
crates/torch/archives/data/behaviour.toml.

    torch_behaviour.py OUT.json

Each case is a small TorchScript function and its inputs. OUT gets what it gave by its name: types and values, `RAISES` with
the error, or `COMPILE` where the release does not take the function. `TYPE` cases say whether code may name a type. Two
releases that differ in a case lie on two sides of a change.
"""
import sys, json, warnings
warnings.filterwarnings("ignore")
import torch
C = {
 "stft": ("def f(x):\n  return torch.stft(x, 16, 4, 16, torch.ones([16]))\n", lambda: [torch.arange(64.)]),
 "stft_center": ("def f(x):\n  return torch.stft(x, 16)\n", lambda: [torch.arange(64.)]),
 "istft": ("def f(x):\n  return torch.istft(x, 16)\n", lambda: [torch.ones(9,17,2)]),
 "unique2_counts": ("def f(x):\n  return torch._unique2(x, True, False, True)\n", lambda: [torch.tensor([[3,1,2],[3,3,1]])]),
 "masked_fill_byte": ("def f(x, m):\n  return x.masked_fill(m, 0.5)\n", lambda: [torch.tensor([1.,2]), torch.tensor([0,1],dtype=torch.uint8)]),
 "masked_fill__byte": ("def f(x, m):\n  return x.clone().masked_fill_(m, 0.5)\n", lambda: [torch.tensor([1.,2]), torch.tensor([0,1],dtype=torch.uint8)]),
 "masked_select_byte": ("def f(x, m):\n  return torch.masked_select(x, m)\n", lambda: [torch.tensor([1.,2]), torch.tensor([0,1],dtype=torch.uint8)]),
 "masked_scatter_byte": ("def f(x, m):\n  return torch.masked_scatter(x, m, x)\n", lambda: [torch.tensor([1.,2]), torch.tensor([0,1],dtype=torch.uint8)]),
 "where_byte": ("def f(x, m):\n  return torch.where(m, x, x + 1)\n", lambda: [torch.tensor([1.,2]), torch.tensor([0,1],dtype=torch.uint8)]),
 "index_byte": ("def f(x, m):\n  return x[m]\n", lambda: [torch.tensor([1.,2]), torch.tensor([0,1],dtype=torch.uint8)]),
 "lshift_float": ("def f(x):\n  return x << 1\n", lambda: [torch.tensor([1.,-2.5])]),
 "rshift_float": ("def f(x):\n  return x >> 1\n", lambda: [torch.tensor([1.,-2.5])]),
 "lshift_int": ("def f(x):\n  return x << 1\n", lambda: [torch.tensor([1,-2])]),
 "rshift_neg": ("def f(x):\n  return x >> 1\n", lambda: [torch.tensor([5,-5,-1])]),
 "lshift_t": ("def f(x):\n  return x << x\n", lambda: [torch.tensor([1,2])]),
 "clamp_int_float": ("def f(x):\n  return torch.clamp(x, 0.5, 2.5)\n", lambda: [torch.tensor([0,1,2,3,4])]),
 "clamp_min_kw": ("def f(x):\n  return torch.clamp(x, min=0.5)\n", lambda: [torch.tensor([0,1,2,3,4])]),
 "clamp_int_int": ("def f(x):\n  return torch.clamp(x, 1, 3)\n", lambda: [torch.tensor([0,1,2,3,4])]),
 "clamp_min": ("def f(x):\n  return torch.clamp_min(x, 0.5)\n", lambda: [torch.tensor([0,1,2])]),
 "clamp_max": ("def f(x):\n  return torch.clamp_max(x, 0.5)\n", lambda: [torch.tensor([0,1,2])]),
 "clamp_": ("def f(x):\n  return x.clone().clamp_(0.5, 2.5)\n", lambda: [torch.tensor([0,1,2,3])]),
 "clamp_swapped": ("def f(x):\n  return torch.clamp(x, 3, 1)\n", lambda: [torch.tensor([0,1,2,3,4])]),
 "clamp_nan": ("def f(x):\n  return torch.clamp(x, 0.0, 1.0)\n", lambda: [torch.tensor([float('nan'),2.])]),
 "argmax": ("def f(x):\n  return torch.argmax(x), torch.argmin(x)\n", lambda: [torch.tensor([1.,3,3,1,3])]),
 "argmax_dim": ("def f(x):\n  return torch.argmax(x, 0), torch.argmin(x, 0)\n", lambda: [torch.tensor([1.,3,3,1,3])]),
 "max_dim": ("def f(x):\n  a, b = torch.max(x, 0)\n  c, d = torch.min(x, 0)\n  return b, d\n", lambda: [torch.tensor([1.,3,3,1,3])]),
 "argmax2": ("def f(x):\n  return torch.argmax(x, 1), torch.argmin(x, 0)\n", lambda: [torch.ones(3,4)]),
 "pow_int_half": ("def f(x):\n  return x ** 0.5\n", lambda: [torch.tensor([0,1,4,9])]),
 "pow_int_2f": ("def f(x):\n  return x ** 2.0\n", lambda: [torch.tensor([0,1,4,9])]),
 "pow_int_2": ("def f(x):\n  return torch.pow(x, 2)\n", lambda: [torch.tensor([0,1,4,9])]),
 "pow_scalar_t": ("def f(x):\n  return torch.pow(2.5, x)\n", lambda: [torch.tensor([0,1,2])]),
 "rpow": ("def f(x):\n  return 2 ** x\n", lambda: [torch.tensor([0,1,2])]),
 "tensor_float": ("def f(n: int):\n  return torch.tensor(1.5)\n", lambda: [1]),
 "tensor_floats": ("def f(n: int):\n  return torch.tensor([1.5, 2.5])\n", lambda: [1]),
 "tensor_nested": ("def f(n: int):\n  return torch.tensor([[1.5], [2.5]])\n", lambda: [1]),
 "tensor_int": ("def f(n: int):\n  return torch.tensor(n), torch.tensor([n, 2]), torch.tensor(True), torch.tensor([True])\n", lambda: [1]),
 "as_tensor": ("def f(n: int):\n  return torch.as_tensor(1.5), torch.as_tensor([1.5])\n", lambda: [1]),
 "scalar_tensor": ("def f(n: int):\n  return torch.scalar_tensor(1.5)\n", lambda: [1]),
 "div_int": ("def f(x, y):\n  return torch.div(x, y), x / 2\n", lambda: [torch.tensor([7,-7]),torch.tensor([2,2])]),
 "div_scalar_float": ("def f(x):\n  return x / 2.0\n", lambda: [torch.tensor([7,-7])]),
 "full": ("def f(n: int):\n  return torch.full([n], 3)\n", lambda: [2]),
 "full_bool": ("def f(n: int):\n  return torch.full([n], True)\n", lambda: [2]),
 "full_like": ("def f(x):\n  return torch.full_like(x, 2.5)\n", lambda: [torch.tensor([1,2])]),
 "arange": ("def f(n: int):\n  return torch.arange(n), torch.arange(0, n)\n", lambda: [3]),
 "floor_divide": ("def f(x):\n  return torch.floor_divide(x, 2), x // 2\n", lambda: [torch.tensor([7,-7])]),
 "remainder": ("def f(x):\n  return torch.remainder(x, 2), x % 2, torch.fmod(x, 2)\n", lambda: [torch.tensor([7,-7])]),
 "sum_bool": ("def f(x):\n  return torch.sum(x), torch.cumsum(x, 0), torch.prod(x)\n", lambda: [torch.tensor([True,True])]),
 "mean_int": ("def f(x):\n  return torch.mean(x)\n", lambda: [torch.tensor([1,2])]),
 "add_mixed": ("def f(x, y):\n  return x + y, x * 1.5\n", lambda: [torch.tensor([1,2]),torch.tensor([1.5,2])]),
 "comp": ("def f(x):\n  return x > 1, torch.logical_not(x), torch.isfinite(x)\n", lambda: [torch.tensor([1.,2])]),
 "all_byte": ("def f(x):\n  return torch.all(x), torch.any(x)\n", lambda: [torch.tensor([1,2],dtype=torch.uint8)]),
 "sqrt_int": ("def f(x):\n  return torch.sqrt(x)\n", lambda: [torch.tensor([1,4])]),
 "sigmoid_int": ("def f(x):\n  return torch.sigmoid(x), torch.exp(x), torch.sin(x)\n", lambda: [torch.tensor([1,4])]),
 "round": ("def f(x):\n  return torch.round(x)\n", lambda: [torch.tensor([0.5,1.5,2.5])]),
 "median": ("def f(x):\n  return torch.median(x)\n", lambda: [torch.tensor([1.,2,3,4])]),
 "std1": ("def f(x):\n  return torch.std(x), torch.var(x)\n", lambda: [torch.tensor([1.])]),
 "sign_bool": ("def f(x):\n  return ~x\n", lambda: [torch.tensor([True])]),
 "rsub_bool": ("def f(x):\n  return 1 - x\n", lambda: [torch.tensor([True])]),
 "softmax_int": ("def f(x):\n  return torch.softmax(x, 0)\n", lambda: [torch.tensor([1,2])]),
 "matmul_int": ("def f(x):\n  return torch.matmul(x, x)\n", lambda: [torch.tensor([[1,2],[3,4]])]),
 "embedding_int": ("def f(w, i):\n  return torch.embedding(w, i)\n", lambda: [torch.ones(3,2), torch.tensor([1,2],dtype=torch.int32)]),
 "cat_mixed": ("def f(x, y):\n  return torch.cat([x, y])\n", lambda: [torch.tensor([1,2]),torch.tensor([1.5])]),
 "stack_mixed": ("def f(x, y):\n  return torch.stack([x, y])\n", lambda: [torch.tensor([1]),torch.tensor([1.5])]),
 "where_mixed": ("def f(x, y):\n  return torch.where(x > 1, x, y)\n", lambda: [torch.tensor([1,2]),torch.tensor([1.5,2])]),
 "index_put": ("def f(x):\n  x = x.clone()\n  x[0] = 5.7\n  return x\n", lambda: [torch.tensor([1,2])]),
 "inplace_float": ("def f(x):\n  x = x.clone()\n  x += 1.5\n  return x\n", lambda: [torch.tensor([1,2])]),
 "inplace_div": ("def f(x):\n  x = x.clone()\n  x /= 2\n  return x\n", lambda: [torch.tensor([1,2])]),
 "int_pow": ("def f(n: int):\n  return n ** 2, 2.0 ** n, n ** -1\n", lambda: [3]),
 "int_ops": ("def f(n: int):\n  return n // 2, n % 2, n / 2\n", lambda: [-7]),
 "shift_ints": ("def f(n: int):\n  return n >> 1, n << 1\n", lambda: [-7]),
 "round_float": ("def f(n: float):\n  return round(n), int(n)\n", lambda: [2.5]),
 "fmt": ("def f(n: float):\n  return '{}'.format(n), str(n)\n", lambda: [2.5]),
 "bool_and": ("def f(x):\n  return x & 1, x | 2, x ^ 1\n", lambda: [torch.tensor([5,6])]),
 "nonzero": ("def f(x):\n  return torch.nonzero(x)\n", lambda: [torch.tensor([0,1,2])]),
 "unbind": ("def f(x):\n  return torch.topk(x, 2)[1]\n", lambda: [torch.ones(4)]),
 "sort": ("def f(x):\n  return torch.sort(x)[1], torch.argsort(x)\n", lambda: [torch.tensor([2.,1,2,1])]),
 "norm_int": ("def f(x):\n  return torch.norm(x)\n", lambda: [torch.tensor([2.,1,2,1])]),
 "ones_like": ("def f(x):\n  return torch.linspace(0, 3, 4), torch.logspace(0, 2, 3)\n", lambda: [torch.tensor([2])]),
 "bincount": ("def f(x):\n  return torch.bincount(x), torch.histc(x.float(), 4)\n", lambda: [torch.tensor([2,1,2,1])]),
 "hardtanh_int": ("def f(x):\n  return torch.relu(x), torch.hardtanh(x)\n", lambda: [torch.tensor([2,-1])]),
 "leaky_int": ("def f(x):\n  return torch.threshold(x, 0.5, 1.5)\n", lambda: [torch.tensor([2,-1])]),
 "maximum": ("def f(x, y):\n  return torch.max(x, y), torch.min(x, y)\n", lambda: [torch.tensor([1,2]),torch.tensor([1.5,2])]),
 "trunc_int": ("def f(x):\n  return torch.floor(x), torch.ceil(x)\n", lambda: [torch.tensor([2,-1])]),
 "to_bool": ("def f(x):\n  return x.to(torch.uint8), (x > 1).to(torch.int64)\n", lambda: [torch.tensor([2.7,1.])]),
 "neg_to_byte": ("def f(x):\n  return torch.abs(x), torch.sign(x), torch.neg(x)\n", lambda: [torch.tensor([2,-1])]),
 "ceil_div": ("def f(x):\n  return torch.std(x, 0), torch.var(x, 0, False)\n", lambda: [torch.tensor([2.,-1])]),
 "interp": ("def f(x):\n  return torch.nn.functional.interpolate(x, scale_factor=1.5)\n", lambda: [torch.arange(9.).view(1,1,3,3)]),
 "interpb": ("def f(x):\n  return torch.nn.functional.interpolate(x, scale_factor=1.7, mode='bilinear')\n", lambda: [torch.arange(9.).view(1,1,3,3)]),
 "gsample": ("def f(x, g):\n  return torch.nn.functional.grid_sample(x, g)\n", lambda: [torch.arange(9.).view(1,1,3,3), torch.zeros(1,1,1,2)+0.3]),
 "celoss": ("def f(x, t):\n  return torch.nn.functional.cross_entropy(x, t)\n", lambda: [torch.arange(6.).view(2,3), torch.tensor([0,2])]),
 "l1": ("def f(x):\n  return torch.nn.functional.kl_div(x, x)\n", lambda: [torch.arange(1,4.)]),
 "size": ("def f(x):\n  return x.size(), list(x.shape), len(x)\n", lambda: [torch.arange(1,4.)]),
 "item": ("def f(x):\n  return int(x[0]), float(x[1]), bool(x[0])\n", lambda: [torch.arange(1,4.)]),
 "unsq": ("def f(x):\n  return x.view(-1).flip(0), x.repeat(2), x.unfold(0,2,1)\n", lambda: [torch.arange(1,4.)]),
 "cross": ("def f(x):\n  return torch.cross(x, x + 1)\n", lambda: [torch.arange(9.).view(3,3)**2]),
 "logsumexp": ("def f(x):\n  return torch.logsumexp(x, 0), torch.log_softmax(x, 0)\n", lambda: [torch.arange(3.)]),
 "multinomial_": ("def f(x):\n  return torch.eye(2), torch.tril(x), torch.triu(x)\n", lambda: [torch.ones(2,2)]),
}
def plain(v):
    if isinstance(v, torch.Tensor): return [str(v.dtype)[6:], [float("%.5g"%float(z)) if z==z else "nan" for z in (torch.view_as_real(v) if v.is_complex() else v).reshape(-1).tolist()][:40]]
    if isinstance(v,(list,tuple)): return [plain(z) for z in v]
    return v
out={}
for n,(src,inp) in C.items():
    try:
        cu=torch.jit.CompilationUnit(src); f=cu.f
    except Exception as e: out[n]="COMPILE "+str(e).strip()[:90].replace("\n"," "); continue
    try: 
        r=f(*inp())
        out[n]=plain(r)
    except Exception as e: out[n]="RAISES "+[l for l in str(e).strip().splitlines() if l.strip()][-1][:150]
for T in ["Union[int, str]","Union[int]","NoneType","complex","Await[int]","Future[int]","RRef[int]","Any","Device","torch.device","Stream","Generator","Storage","number","QScheme","Layout","ScalarType","Tuple[()]","Optional[NoneType]","Dict[str, NoneType]","Capsule","SymInt","Dict[int, int]","Dict[complex, int]","AnyEnumType","Final[int]","None"]:
    try: torch.jit.CompilationUnit("def f(x: %s):\n  return 1\n" % T); out["TYPE "+T]="ok"
    except Exception as e: out["TYPE "+T]="no "+str(e).strip()[:40]
json.dump(out,open(sys.argv[1],"w"))
