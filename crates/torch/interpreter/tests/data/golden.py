"""Makes golden.jsonl.xz: random calls of operators, carried out by the PyTorch that runs this.

    python golden.py golden.jsonl.xz

Each line is a call: the overload, its arguments, and what it gave or that it was refused. The
seed is fixed, so the same release gives the same file. Half complex numbers are left out: the interpreter does
not have them.
"""

import json
import lzma
import math
import random
import sys
import warnings
import torch
warnings.filterwarnings('ignore')
R = random.Random(2026)
D = {'uint8': torch.uint8, 'int8': torch.int8, 'int16': torch.int16, 'int32': torch.int32, 'int64': torch.int64, 'float16': torch.float16, 'bfloat16': torch.bfloat16, 'float32': torch.float32, 'float64': torch.float64, 'bool': torch.bool, 'complex64': torch.complex64}
FL = ['float32', 'float64', 'float16', 'bfloat16']
INT = ['uint8', 'int8', 'int16', 'int32', 'int64']
ALL = FL + INT + ['bool']

def num(dt, pos=False, special=0.03):
    if dt == 'bool':
        return R.random() < 0.5
    if dt == 'uint8':
        return R.randrange(0, 12)
    if dt in INT:
        return R.randrange(-9, 10) if not pos else R.randrange(1, 9)
    if dt == 'complex64':
        return [R.randrange(-16, 17) / 8, R.randrange(-16, 17) / 8]
    if not pos and R.random() < special:
        return R.choice([float('inf'), float('-inf'), float('nan'), 0.0, -0.0])
    v = R.randrange(-64, 65) / 16
    return abs(v) + 1 / 16 if pos else v
SH = [[], [1], [3], [2, 3], [1, 3], [2, 1], [0], [2, 0], [4, 1, 3], [2, 2, 2]]

def ten(shape, dt, pos=False, special=0.03):
    n = math.prod(shape)
    return {'dtype': dt, 'shape': shape, 'values': [num(dt, pos, special) for _ in range(n)]}

def js(v):
    if isinstance(v, float):
        if math.isnan(v):
            return 'nan'
        if math.isinf(v):
            return 'inf' if v > 0 else '-inf'
    return v

def enc(v):
    if isinstance(v, torch.Tensor):
        t = v.detach()
        dt = str(t.dtype).replace('torch.', '')
        if t.is_complex():
            vals = [[js(x.real), js(x.imag)] for x in t.flatten().tolist()]
        else:
            vals = [js(x) for x in t.to(torch.float64).flatten().tolist()] if t.is_floating_point() else t.flatten().tolist()
        return {'dtype': dt, 'shape': list(t.shape), 'values': vals}
    if isinstance(v, (tuple, list)):
        return [enc(x) for x in v]
    return js(v)

def dec(v):
    if isinstance(v, dict):
        vals = v['values']
        if v['dtype'] == 'complex64':
            vals = [complex(*x) for x in vals]
        return torch.tensor(vals, dtype=D[v['dtype']]).reshape(v['shape'])
    if isinstance(v, list):
        return [dec(x) for x in v]
    return v

def encin(v):
    if isinstance(v, dict):
        return {**v, 'values': [[js(y) for y in x] if isinstance(x, list) else js(x) for x in v['values']]}
    if isinstance(v, list):
        return [encin(x) for x in v]
    return js(v)
rows = []

def call(name, ov, args, kw=None):
    kw = kw or {}
    f = getattr(torch.ops.aten, name)
    f = getattr(f, ov or 'default')
    a = [dec(x) for x in args]
    k = {x: dec(y) for x, y in kw.items()}
    row = {'op': 'aten::' + name + ('.' + ov if ov else '.'), 'args': [encin(x) for x in args]}
    if kw:
        row['named'] = {x: encin(y) for x, y in kw.items()}
    try:
        out = f(*a, **k)
        row['out'] = enc(out)
        if 'complex32' in str(row['out']):
            return
        if name.endswith('_'):
            row['out'] = enc(a[0])
    except Exception as e:
        row['refused'] = True
    rows.append(row)

def bshape():
    a = R.choice(SH)
    b = R.choice([a, [], [1]] + ([a[-1:]] if a else []))
    return (a, b) if R.random() < 0.5 else (b, a)
for name, ov in [('add', 'Tensor'), ('sub', 'Tensor'), ('mul', 'Tensor'), ('div', 'Tensor'), ('remainder', 'Tensor'), ('fmod', 'Tensor'), ('maximum', ''), ('minimum', ''), ('eq', 'Tensor'), ('lt', 'Tensor'), ('ge', 'Tensor'), ('ne', 'Tensor'), ('floor_divide', ''), ('pow', 'Tensor_Tensor'), ('atan2', ''), ('bitwise_and', 'Tensor'), ('bitwise_xor', 'Tensor'), ('logical_and', ''), ('logical_xor', '')]:
    for _ in range(26):
        s, t = bshape()
        call(name, ov, [ten(s, R.choice(ALL)), ten(t, R.choice(ALL))])
    if ov == 'Tensor' and name in ('add', 'sub', 'mul', 'div', 'eq'):
        for _ in range(4):
            s, t = bshape()
            call(name, ov, [ten(s, 'complex64'), ten(t, R.choice(ALL + ['complex64']), special=0)])
for name in ['add', 'sub', 'mul', 'div', 'remainder', 'fmod', 'eq', 'lt', 'gt', 'rsub', 'floor_divide', 'bitwise_or']:
    for _ in range(14):
        dt = R.choice(ALL)
        sc = R.choice([2, 3, -3, 2.5, -0.5, True, 0.25])
        call(name, 'Scalar', [ten(R.choice(SH), dt), sc])
for _ in range(20):
    call('pow', 'Tensor_Scalar', [ten(R.choice(SH), R.choice(ALL)), R.choice([2, 3, 0, 0.5, -1, 2.0, -2.0])])
for name in ['add', 'sub']:
    for _ in range(14):
        s, t = bshape()
        call(name, 'Tensor', [ten(s, R.choice(ALL)), ten(t, R.choice(ALL))], {'alpha': R.choice([2, -1, 0.5, 3])})
for mode in ['trunc', 'floor', None]:
    for _ in range(40):
        s, t = bshape()
        call('div', 'Tensor_mode', [ten(s, R.choice(ALL)), ten(t, R.choice(ALL))], {'rounding_mode': mode})
for name in ['add_', 'mul_', 'div_', 'sub_']:
    for _ in range(14):
        s = R.choice(SH)
        call(name, 'Tensor', [ten(s, R.choice(ALL)), ten(R.choice([s, []]), R.choice(ALL))])
for name in 'neg abs sign square floor ceil trunc round frac exp expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh sigmoid erf erfc bitwise_not logical_not isnan isinf isfinite relu silu hardsigmoid hardswish mish softplus'.split():
    for _ in range(9):
        call(name, '', [ten(R.choice(SH), R.choice(ALL))])
for ap in ['none', 'tanh']:
    for _ in range(8):
        call('gelu', '', [ten(R.choice(SH), R.choice(['float32', 'float64', 'int64']))], {'approximate': ap})
for _ in range(12):
    call('clamp', '', [ten(R.choice(SH), R.choice(ALL)), R.choice([None, -1, 0.5]), R.choice([1, 2.5])])
for _ in range(8):
    call('leaky_relu', '', [ten(R.choice(SH), R.choice(FL[:2])), 0.1])
    call('elu', '', [ten(R.choice(SH), R.choice(FL[:2]))])

def rshape():
    return R.choice([[3], [2, 3], [2, 3, 2], [1, 4], [2, 0]])
for _ in range(14):
    s = rshape()
    dt = R.choice(ALL)
    d = R.randrange(-len(s), len(s))
    k = R.random() < 0.5
    for name, ov in [('sum', 'dim_IntList'), ('mean', 'dim'), ('amax', ''), ('amin', '')]:
        call(name, ov, [ten(s, dt, special=0.01), [d], k])
    for name, ov in [('prod', 'dim_int'), ('max', 'dim'), ('min', 'dim'), ('any', 'dim'), ('all', 'dim'), ('argmax', ''), ('argmin', '')]:
        call(name, ov, [ten(s, dt, special=0.01), d, k])
    call('cumsum', '', [ten(s, dt, special=0), d])
    call('softmax', 'int', [ten(s, R.choice(FL[:2]), special=0), d])
    call('log_softmax', 'int', [ten(s, R.choice(FL[:2]), special=0), d])
    call('logsumexp', '', [ten(s, R.choice(FL[:2]), special=0), [d], k])
    call('var', 'dim', [ten(s, R.choice(FL[:2]), special=0), [d], R.random() < 0.5, k])
    call('std', 'dim', [ten(s, R.choice(FL[:2]), special=0), [d], True, k])
    call('sort', 'stable', [ten(s, dt, special=0)], {'stable': True, 'dim': d, 'descending': R.random() < 0.5})
    call('linalg_vector_norm', '', [ten(s, R.choice(FL[:2]), special=0), R.choice([2, 1, 0, 3, float('inf')]), [d], k])
    for name in ['sum', 'mean', 'prod', 'any', 'all', 'max', 'min']:
        call(name, '', [ten(s, dt, special=0.01)])
for _ in range(10):
    n, m, p = (R.randrange(1, 4), R.randrange(0, 4), R.randrange(1, 4))
    dt = R.choice(['float32', 'float64', 'int64', 'int32'])
    call('mm', '', [ten([n, m], dt, special=0), ten([m, p], dt, special=0)])
    call('matmul', '', [ten([2, n, m], dt, special=0), ten([m, p], dt, special=0)])
    call('matmul', '', [ten([m], dt, special=0), ten([m], dt, special=0)])
    call('matmul', '', [ten([n, m], dt, special=0), ten([m], dt, special=0)])
    call('addmm', '', [ten([p], dt, special=0), ten([n, m], dt, special=0), ten([m, p], dt, special=0)], {'beta': R.choice([0, 1, 2]), 'alpha': R.choice([1, 2])})
    call('linear', '', [ten([2, m], 'float32', special=0), ten([p, m], 'float32', special=0), R.choice([None, ten([p], 'float32', special=0)])])
    call('outer', '', [ten([n], dt, special=0), ten([p], R.choice(ALL), special=0)])
for _ in range(8):
    n = R.randrange(1, 4)
    a = ten([n, n], 'float64', special=0)
    b = ten([n, 2], 'float64', special=0)
    for i in range(n):
        a['values'][i * n + i] += 9
    call('linalg_solve', '', [a, b])
    call('linalg_inv', '', [a])
    call('linalg_det', '', [a])
    call('linalg_slogdet', '', [a])
    call('linalg_qr', '', [ten([R.randrange(1, 4), n], 'float64', special=0), R.choice(['reduced', 'complete'])])
    t = dec(a)
    spd = enc(t @ t.T)
    call('linalg_cholesky', '', [spd], {'upper': R.random() < 0.5})
    call('linalg_eigvalsh', '', [spd])
    call('linalg_svdvals', '', [a])
    call('linalg_pinv', '', [a, 1e-15])
    call('linalg_matrix_rank', '', [a, 0.5])
    call('triangular_solve', '', [b, a, R.random() < 0.5, R.random() < 0.5, R.random() < 0.5])
    call('linalg_solve_triangular', '', [a, b], {'upper': R.random() < 0.5})
    call('matrix_power', '', [a, R.choice([0, 1, 2, 3, -1])])
for _ in range(10):
    g = R.choice([1, 2])
    c = 2
    s = R.choice([1, 2])
    p = R.choice([0, 1])
    dl = R.choice([1, 2])
    call('conv2d', '', [ten([1, c * g, 5, 6], 'float32', special=0), ten([2 * g, c, 2, 3], 'float32', special=0), R.choice([None, ten([2 * g], 'float32', special=0)]), [s, 1], [p, 1], [dl, 1], g])
    call('conv1d', '', [ten([2, 2, 7], 'float64', special=0), ten([3, 2, 3], 'float64', special=0), None, [s], [p], [dl]])
    call('conv_transpose2d', 'input', [ten([1, 2 * g, 3, 4], 'float32', special=0), ten([2 * g, 2, 2, 3], 'float32', special=0), None, [2, s], [p, 0], [R.choice([0, 1]), 0], g])
    call('max_pool2d', '', [ten([1, 2, 5, 6], 'float32', special=0), [2, 3], [s, 2], [p, 1], [1, 1], R.random() < 0.5])
    call('avg_pool2d', '', [ten([1, 2, 5, 6], 'float32', special=0), [2, 3], [s, 2], [p, 1], R.random() < 0.5, R.random() < 0.5])
    call('adaptive_avg_pool2d', '', [ten([1, 2, 5, 6], 'float32', special=0), [R.randrange(1, 4), R.randrange(1, 8)]])
    x = ten([1, 2, 4, 5], 'float32', special=0)
    al = R.random() < 0.5
    call('upsample_bilinear2d', '', [x, [R.randrange(1, 9), R.randrange(1, 9)], al])
    call('upsample_nearest2d', '', [x, [R.randrange(1, 9), R.randrange(1, 9)]])
    call('upsample_bicubic2d', '', [x, [R.randrange(1, 9), R.randrange(1, 9)], al])
    call('upsample_bilinear2d', 'vec', [x, None, al, [R.choice([0.5, 1.5, 2.0]), 2.0]])
    call('_upsample_nearest_exact2d', 'vec', [x, None, [1.7, 0.6]])
    call('batch_norm', '', [ten([3, 2, 4], 'float32', special=0), ten([2], 'float32', special=0), ten([2], 'float32', special=0), ten([2], 'float32', special=0), ten([2], 'float32', True), R.random() < 0.5, 0.1, 1e-05, False])
    call('layer_norm', '', [ten([3, 4], 'float32', special=0), [4], ten([4], 'float32', special=0), R.choice([None, ten([4], 'float32', special=0)]), 1e-05])
    call('group_norm', '', [ten([2, 4, 3], 'float32', special=0), 2, ten([4], 'float32', special=0), None])
    q = [ten([1, 2, 3, 4], 'float32', special=0) for _ in range(3)]
    call('scaled_dot_product_attention', '', q, {})
    call('scaled_dot_product_attention', '', q + [None, 0.0, True])
    call('scaled_dot_product_attention', '', q + [ten([3, 3], 'bool')], {'scale': 0.3})
for _ in range(14):
    s = R.choice([[3], [2, 3], [2, 3, 2], [4, 2]])
    d = R.randrange(-len(s), len(s))
    x = lambda: ten(s, R.choice(ALL + ['complex64']))
    call('cat', '', [[ten(s, R.choice(ALL)), ten(s, R.choice(ALL))], d])
    call('stack', '', [[ten(s, 'float32'), ten(s, 'float32')], d])
    call('flip', '', [x(), [d]])
    call('roll', '', [x(), [R.randrange(-4, 5)], [d]])
    call('transpose', 'int', [x(), d, 0])
    call('unsqueeze', '', [x(), d])
    call('squeeze', 'dim', [ten([1, 3], 'int64'), R.choice([0, 1])])
    call('select', 'int', [x(), d, R.choice([0, -1])])
    call('slice', 'Tensor', [x(), d, R.choice([None, 1, -2]), R.choice([None, 2, -1, 100]), R.choice([1, 2])])
    call('split', 'Tensor', [x(), R.choice([1, 2]), d])
    call('chunk', '', [x(), 2, d])
    call('unbind', 'int', [x(), d])
    call('repeat', '', [x(), [2] + [1] * (len(s) - 1)])
    call('tril', '', [ten([3, 4], 'float32'), R.randrange(-2, 3)])
    call('triu', '', [ten([3, 4], 'int64'), R.randrange(-2, 3)])
    call('index_select', '', [x(), d, {'dtype': 'int64', 'shape': [2], 'values': [0, R.choice([0, 1])]}])
    call('masked_fill', 'Scalar', [ten(s, R.choice(FL)), ten(s, 'bool'), R.choice([1, 0.5])])
    call('where', 'self', [ten(s, 'bool'), ten(s, R.choice(ALL)), ten([], R.choice(ALL))])
    call('gather', '', [ten([2, 3], 'float32'), 1, {'dtype': 'int64', 'shape': [2, 2], 'values': [0, 2, 1, 1]}])
    call('diagonal', '', [ten([3, 4], 'int64'), R.randrange(-1, 2)])
    call('constant_pad_nd', '', [ten([2, 3], 'float32'), [R.randrange(-1, 3), 1], 2])
    call('nonzero', '', [ten(s, R.choice(ALL), special=0)])
    call('topk', '', [{'dtype': 'float32', 'shape': [5], 'values': R.sample(range(20), 5)}, R.randrange(1, 5)])
for _ in range(12):
    call('arange', 'start_step', [R.choice([0, 1, 0.5]), R.choice([5, 7.5]), R.choice([1, 2, 0.5])])
    call('linspace', '', [R.choice([0, -1.5]), R.choice([5, 2.25]), R.randrange(0, 9)], {})
    call('logspace', '', [0.0, 2.0, R.randrange(0, 6)])
    call('full', '', [[2], R.choice([True, 2, 2.5])])
    call('eye', 'm', [R.randrange(0, 4), R.randrange(0, 4)])
    call('zeros_like', '', [ten(R.choice(SH), R.choice(ALL))])
    call('_to_copy', '', [ten(R.choice(SH), R.choice(ALL), special=0)], {})
    s, t = bshape()
    call('addcmul', '', [ten(s, R.choice(FL[:2])), ten(t, R.choice(FL[:2])), ten(t, R.choice(FL[:2]))], {'value': R.choice([1, 2, 0.5])})
    call('lerp', 'Scalar', [ten(s, 'float32'), ten(t, 'float32'), R.choice([0.25, 0.75])])
for d1 in ALL:
    for d2 in ALL:
        x = ten([5], d1, special=0)
        code = {'uint8': 0, 'int8': 1, 'int16': 2, 'int32': 3, 'int64': 4, 'float16': 5, 'float32': 6, 'float64': 7, 'bool': 11, 'bfloat16': 15}[d2]
        row = {'op': 'aten::to.dtype', 'args': [encin(x), code], 'out': enc(dec(x).to(D[d2]))}
        rows.append(row)
def whole(shape, low, high):
    return {'dtype': 'int64', 'shape': shape, 'values': [R.randrange(low, high) for _ in range(math.prod(shape))]}

def plain(shape, dt='float32'):
    return ten(shape, dt, special=0)
for _ in range(3):
    for equation, shapes in [('bij,bjk->bik', [[2, 3, 4], [2, 4, 2]]), ('bij,kj->bki', [[2, 3, 4], [2, 4]]), ('...ij->...ji', [[2, 3, 4]]), ('ii->i', [[3, 3]]), ('i,j', [[3], [2]]), ('bij,bij->b', [[2, 3, 4], [2, 3, 4]]), ('ij,jk,kl->il', [[2, 3], [3, 4], [4, 2]]), ('b...,c...->bc', [[2, 3, 4], [5, 3, 4]]), ('ab,bc->ac', [[2, 3], [4, 2]])]:
        call('einsum', '', [equation, [plain(s) for s in shapes]])
    d = R.choice(['float32', 'float64'])
    n = R.choice([8, 6, 7, 16])
    call('fft_fft', '', [plain([2, n], d), R.choice([None, 5, 12]), R.choice([-1, 0]), R.choice([None, 'ortho', 'forward'])])
    call('fft_rfft', '', [plain([2, n], d), None, -1, R.choice([None, 'ortho'])])
    call('fft_irfft', '', [ten([2, 5], 'complex64'), R.choice([None, 8, 9])])
    call('fft_ifft', '', [ten([n], 'complex64')])
    call('stft', '', [plain([2, 40]), 16, 4, R.choice([None, 12]), None, R.random() < 0.5, R.random() < 0.5, R.random() < 0.5])
    call('stft', 'center', [plain([40]), 16, 5, 16, plain([16])], {'return_complex': True})
    call('hann_window', 'periodic', [R.randrange(1, 9), R.random() < 0.5])
    call('hamming_window', 'periodic', [R.randrange(1, 9), R.random() < 0.5])
    call('meshgrid', 'indexing', [[plain([2]), plain([3])]], {'indexing': R.choice(['ij', 'xy'])})
    call('repeat_interleave', 'self_int', [plain([2, 3]), R.randrange(0, 4), R.choice([None, 0, 1, -1])])
    call('pixel_shuffle', '', [plain([1, 8, 2, 3]), 2])
    call('pixel_unshuffle', '', [plain([1, 2, 4, 6]), 2])
    call('channel_shuffle', '', [plain([1, 6, 2, 2]), R.choice([2, 3])])
    call('cosine_similarity', '', [plain([2, 3], d), plain([2, 3], d), R.choice([0, 1])])
    call('take_along_dim', '', [plain([2, 3]), whole([2, 2], 0, 3), 1])
    call('cdist', '', [plain([3, 4], d), plain([2, 4], d), R.choice([1.0, 2.0, 3.0])])
    call('diff', '', [plain([3, 4], R.choice(['float32', 'int64'])), R.choice([1, 2]), R.choice([0, -1])])
    for name in ['selu', 'celu', 'hardshrink', 'softshrink', 'nan_to_num']:
        call(name, '', [ten([5], R.choice(FL))])
    x, t = (plain([4, 5], d), whole([4], 0, 5))
    call('nll_loss', '', [x, t, None, R.choice([0, 1, 2]), R.choice([-100, 2])])
    call('cross_entropy_loss', '', [x, t, None, 1, -100, R.choice([0.0, 0.2])])
    for name in ['smooth_l1_loss', 'huber_loss']:
        call(name, '', [plain([3, 2]), plain([3, 2]), R.choice([0, 1, 2]), R.choice([1.0, 0.5])])
    call('kl_div', '', [plain([3, 2]), ten([3, 2], 'float32', True), R.choice([0, 1, 2])])
    call('binary_cross_entropy_with_logits', '', [plain([3, 2]), ten([3, 2], 'float32', True), None, None, R.choice([0, 1, 2])])
    call('scatter_add', '', [plain([3, 4]), 1, whole([3, 2], 0, 4), plain([3, 2])])
    call('bincount', '', [whole([6], 0, 5), R.choice([None, plain([6])]), R.choice([0, 8])])
    call('searchsorted', 'Tensor', [{'dtype': 'float32', 'shape': [4], 'values': [-1.0, 0.0, 0.5, 2.0]}, plain([2, 3])], {'right': R.random() < 0.5})
    call('bucketize', 'Tensor', [plain([5]), {'dtype': 'float32', 'shape': [3], 'values': [-1.0, 0.0, 2.0]}], {'right': R.random() < 0.5})
    call('_unique2', '', [ten([7], R.choice(['int64', 'float32', 'bool']), special=0), True, R.random() < 0.5, R.random() < 0.5])
    call('nonzero_numpy', '', [ten([2, 3], 'bool')])
    call('max_pool2d_with_indices', '', [plain([1, 2, 5, 6]), [2, 3], [2, 1], [1, 1], [1, 1], R.random() < 0.5])
    call('max_pool3d', '', [plain([1, 2, 4, 4, 4]), [2, 2, 2]])
    call('avg_pool3d', '', [plain([1, 2, 4, 4, 4]), [2, 3, 2], [1, 2, 2], [1, 1, 0], R.random() < 0.5, R.random() < 0.5])
    call('adaptive_max_pool2d', '', [plain([1, 2, 5, 6]), [2, 3]])
    call('max_unpool2d', '', [plain([1, 1, 2, 2]), {'dtype': 'int64', 'shape': [1, 1, 2, 2], 'values': R.sample(range(16), 4)}, [4, 4]])
    g = R.choice([1, 2, 4])
    call('conv2d', '', [plain([2, 4, 9, 8]), plain([8, 4 // g, 3, 2]), plain([8]), [R.choice([1, 2]), 1], [1, R.choice([0, 2])], [1, R.choice([1, 2])], g])
    call('conv3d', '', [plain([1, 2, 5, 4, 6]), plain([3, 2, 2, 3, 2]), None, [1, 2, 1], [1, 0, 1]])
    call('conv_transpose2d', 'input', [plain([1, 4, 4, 5]), plain([4, 6 // g if g < 4 else 2, 3, 2]), None, [2, 1], [1, 0], [R.choice([0, 1]), 0], g])
    call('linear', '', [plain([R.choice([1, 7]), 64]), plain([80, 64]), plain([80])])
    call('bmm', '', [plain([3, 17, 40]), plain([3, 40, 33])])
for _ in range(1):
    call('conv2d', '', [plain([1, 16, 20, 20]), plain([16, 16, 3, 3]), plain([16]), [1, 1], [1, 1]])
    call('conv2d', '', [plain([1, 32, 24, 24]), plain([32, 1, 5, 5]), None, [2, 2], [2, 2], [1, 1], 32])
    call('linear', '', [plain([20, 96]), plain([100, 96])])
for _ in range(3):
    # Small weights: large ones cancel out, and then PyTorch's own rounding shows.
    w = lambda *shape: (lambda t: {**t, 'values': [v / 8 for v in t['values']]})(plain(list(shape)))
    mask = R.choice([(None, None), ({'dtype': 'bool', 'shape': [2, 3], 'values': [False, False, True, False, False, False]}, 1), ({'dtype': 'bool', 'shape': [3, 3], 'values': [i < j for i in range(3) for j in range(3)]}, 0)])
    call('_transformer_encoder_layer_fwd', '', [w(2, 3, 4), 4, 2, w(12, 4), w(12), w(4, 4), w(4), R.random() < 0.5, R.random() < 0.5, 1e-05, w(4), w(4), w(4), w(4), w(6, 4), w(6), w(4, 6), w(4), *mask])
    x = w(2, 3, 4)
    call('_native_multi_head_attention', '', [x, x, x, 4, 2, w(12, 4), w(12), w(4, 4), w(4), mask[0], True, R.random() < 0.5, mask[1]])
    call('scaled_dot_product_attention', '', [w(1, 4, 3, 8), w(1, 2, 5, 8), w(1, 2, 5, 8)], {'enable_gqa': True})
    call('rnn_tanh', 'input', [w(3, 2, 4), w(1, 2, 5), [w(5, 4), w(5, 5), w(5), w(5)], True, 1, 0.0, False, False, False])
text = '\n'.join((json.dumps(r, separators=(',', ':')) for r in rows))
open(sys.argv[1], 'wb').write(lzma.compress(text.encode(), preset=9))
