# Dimensions that go away, and running ones.

# aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)
def std_mean(self, unbiased):
  return torch.std(self, unbiased), torch.mean(self)

# aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)
def std_mean_dim(self, dim, unbiased, keepdim):
  return torch.std(self, dim, unbiased, keepdim), torch.mean(self, dim, keepdim)

# aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)
def std_mean_correction(self, dim, correction, keepdim):
  return torch.std(self, dim, correction=correction, keepdim=keepdim), torch.mean(self, dim, keepdim)

# aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)
def var_mean(self, unbiased):
  return torch.var(self, unbiased), torch.mean(self)

# aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)
def var_mean_dim(self, dim, unbiased, keepdim):
  return torch.var(self, dim, unbiased, keepdim), torch.mean(self, dim, keepdim)

# aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)
def var_mean_correction(self, dim, correction, keepdim):
  return torch.var(self, dim, correction=correction, keepdim=keepdim), torch.mean(self, dim, keepdim)

# aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)
def aminmax(self, dim, keepdim):
  if dim is None:
    dims = []
    for at in range(self.dim()):
      dims.append(at)
    return torch.amin(self, dims, keepdim), torch.amax(self, dims, keepdim)
  return torch.amin(self, [dim], keepdim), torch.amax(self, [dim], keepdim)

# aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
def nansum(self, dim, keepdim, dtype):
  known = self
  if self.is_floating_point():
    known = self.masked_fill(torch.isnan(self), 0.0)
  return torch.sum(known, dim, keepdim, dtype=dtype)

# aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
def nanmean(self, dim, keepdim, dtype):
  count = torch.sum(torch.logical_not(torch.isnan(self)), dim, keepdim)
  return torch.nansum(self, dim, keepdim, dtype=dtype) / count

# aten::msort(Tensor self) -> Tensor
def msort(self):
  return torch.sort(self, 0)[0]

# aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor
def argsort(self, stable, dim, descending):
  return torch.argsort(self, dim, descending)

# aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor
def dist(self, other, p):
  return torch.norm(self - other, p)

# aten::pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor
def pairwise_distance(x1, x2, p, eps, keepdim):
  return torch.norm(x1 - x2 + eps, p, [max(x1.dim(), x2.dim()) - 1], keepdim)

# aten::pdist(Tensor self, float p=2) -> Tensor
def pdist(self, p):
  count = self.size(0)
  all = torch.cdist(self, self, p)
  places = []
  for row in range(count):
    for column in range(row + 1, count):
      places.append(row * count + column)
  if len(places) == 0:
    return torch.empty([0], dtype=self.dtype)
  return all.take(torch.tensor(places))

# aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor
def trapezoid(y, dx, dim):
  size = y.size(dim)
  if size == 0:
    return torch.sum(y, [dim])
  return (torch.sum(y, [dim]) - (y.select(dim, 0) + y.select(dim, size - 1)) * 0.5) * dx

# aten::trapz.dx(Tensor y, *, float dx=1, int dim=-1) -> Tensor
def trapz(y, dx, dim):
  return torch.trapezoid(y, dx=dx, dim=dim)

def steps_of(y, x, dim):
  own = x
  if x.dim() == 1:
    shape = [1] * y.dim()
    shape[dim % y.dim()] = x.numel()
    own = x.reshape(shape)
  size = own.size(dim)
  return own.narrow(dim, 1, size - 1) - own.narrow(dim, 0, size - 1)

def means_of(y, dim):
  size = y.size(dim)
  return y.narrow(dim, 1, size - 1) + y.narrow(dim, 0, size - 1)

# aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
# aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
def trapezoid_x(y, x, dim):
  if y.size(dim) == 0:
    return torch.sum(y, [dim])
  return torch.sum(__torch__.steps_of(y, x, dim) * __torch__.means_of(y, dim), [dim]) / 2.0

# aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor
def cumulative_trapezoid(y, dx, dim):
  return torch.cumsum(__torch__.means_of(y, dim), dim) * (dx / 2.0)

# aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor
def cumulative_trapezoid_x(y, x, dim):
  return torch.cumsum(__torch__.steps_of(y, x, dim) * __torch__.means_of(y, dim), dim) / 2.0

def tapered(x, spacing, dim, edge_order):
  # Differences in the middle, and at both ends of the first or second order.
  size = x.size(dim)
  a = x.narrow(dim, 0, size - 2)
  b = x.narrow(dim, 1, size - 2)
  c = x.narrow(dim, 2, size - 2)
  if spacing.dim() == 0:
    middle = (c - a) / (spacing * 2)
    if edge_order == 1:
      first = (x.narrow(dim, 1, 1) - x.narrow(dim, 0, 1)) / spacing
      last = (x.narrow(dim, size - 1, 1) - x.narrow(dim, size - 2, 1)) / spacing
    else:
      first = (x.narrow(dim, 0, 1) * -1.5 + x.narrow(dim, 1, 1) * 2 - x.narrow(dim, 2, 1) * 0.5) / spacing
      last = (x.narrow(dim, size - 1, 1) * 1.5 - x.narrow(dim, size - 2, 1) * 2 + x.narrow(dim, size - 3, 1) * 0.5) / spacing
    return torch.cat([first, middle, last], dim)
  shape = [1] * x.dim()
  shape[dim] = size - 1
  steps = (spacing.narrow(0, 1, size - 1) - spacing.narrow(0, 0, size - 1)).reshape(shape)
  p = steps.narrow(dim, 0, size - 2)
  q = steps.narrow(dim, 1, size - 2)
  middle = a * (-q / (p * (p + q))) + b * ((q - p) / (p * q)) + c * (p / (q * (p + q)))
  if edge_order == 1:
    first = (x.narrow(dim, 1, 1) - x.narrow(dim, 0, 1)) / steps.narrow(dim, 0, 1)
    last = (x.narrow(dim, size - 1, 1) - x.narrow(dim, size - 2, 1)) / steps.narrow(dim, size - 2, 1)
  else:
    p = steps.narrow(dim, 0, 1)
    q = steps.narrow(dim, 1, 1)
    first = x.narrow(dim, 0, 1) * -((p * 2 + q) / (p * (p + q))) + x.narrow(dim, 1, 1) * ((p + q) / (p * q)) - x.narrow(dim, 2, 1) * (p / (q * (p + q)))
    p = steps.narrow(dim, size - 3, 1)
    q = steps.narrow(dim, size - 2, 1)
    last = x.narrow(dim, size - 3, 1) * (q / (p * (p + q))) - x.narrow(dim, size - 2, 1) * ((p + q) / (p * q)) + x.narrow(dim, size - 1, 1) * ((q * 2 + p) / (q * (p + q)))
  return torch.cat([first, middle, last], dim)

def all_dims(x, dim):
  if dim is not None:
    return [dim % x.dim()]
  dims = []
  for at in range(x.dim()):
    dims.append(at)
  return dims

def gradients(self, spacings, dims, edge_order):
  x = __torch__.floated(self)
  results = []
  for at in range(len(dims)):
    results.append(__torch__.tapered(x, spacings[at].to(x.dtype), dims[at] % x.dim(), edge_order))
  return results

def same_for_all(spacing, count):
  one = 1
  if spacing is not None:
    one = spacing
  results = []
  for at in range(count):
    results.append(torch.tensor(one))
  return results

def each_of(spacing):
  results = []
  for at in range(len(spacing)):
    results.append(torch.tensor(spacing[at]))
  return results

# aten::gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]
def gradient_scalarint(self, spacing, dim, edge_order):
  dims = __torch__.all_dims(self, dim)
  return __torch__.gradients(self, __torch__.same_for_all(spacing, len(dims)), dims, edge_order)

# aten::gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]
def gradient_scalararray(self, spacing, dim, edge_order):
  return __torch__.gradients(self, __torch__.same_for_all(spacing, len(dim)), dim, edge_order)

# aten::gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]
def gradient_array(self, dim, edge_order):
  return __torch__.gradients(self, __torch__.same_for_all(None, len(dim)), dim, edge_order)

# aten::gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]
def gradient_scalarrayint(self, spacing, dim, edge_order):
  return __torch__.gradients(self, __torch__.each_of(spacing), __torch__.all_dims(self, dim), edge_order)

# aten::gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]
def gradient_scalarrayarray(self, spacing, dim, edge_order):
  return __torch__.gradients(self, __torch__.each_of(spacing), dim, edge_order)

# aten::gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]
def gradient_tensorarrayint(self, spacing, dim, edge_order):
  return __torch__.gradients(self, spacing, __torch__.all_dims(self, dim), edge_order)

# aten::gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]
def gradient_tensorarray(self, spacing, dim, edge_order):
  return __torch__.gradients(self, spacing, dim, edge_order)

# aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor
def cov(self, correction, fweights, aweights):
  x = __torch__.floated(self)
  if x.dim() < 2:
    x = x.reshape([1, -1])
  weights = None
  if fweights is not None:
    weights = fweights.to(x.dtype)
  if aweights is not None:
    weights = aweights.to(x.dtype) if weights is None else weights * aweights
  if weights is None:
    total = torch.tensor(x.size(1), dtype=torch.int64)
    mean = torch.sum(x, [1]) / total
  else:
    total = torch.sum(weights)
    mean = torch.sum(x * weights, [1]) / total
  norm = total - correction
  if weights is not None and aweights is not None and correction != 0:
    norm = total - torch.sum(weights * aweights) / total * correction
  centred = x - mean.unsqueeze(1)
  other = centred if weights is None else centred * weights
  result = torch.mm(other, torch.conj(centred).t()) / norm.clamp(0)
  return result.squeeze()

# aten::corrcoef(Tensor self) -> Tensor
def corrcoef(self):
  c = torch.cov(self)
  if c.dim() == 0:
    return c / c
  d = torch.real(c.diagonal())
  scale = torch.sqrt(d)
  result = c / scale.unsqueeze(1) / scale.unsqueeze(0)
  if result.is_complex():
    return torch.complex(torch.real(result).clamp(-1, 1), torch.imag(result).clamp(-1, 1))
  return result.clamp(-1, 1)

# all aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor
def renorm(self, p, dim, maxnorm):
  dims = []
  for at in range(self.dim()):
    if at != dim % self.dim():
      dims.append(at)
  norm = torch.linalg_vector_norm(self, p, dims, True)
  factor = torch.where(norm > maxnorm, maxnorm / (norm + 1e-07), torch.ones_like(norm))
  return self * factor
