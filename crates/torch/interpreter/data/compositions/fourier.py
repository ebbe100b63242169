# Fourier transforms of several dimensions: one after the other.

def sized(self, s, dim):
  # The dimensions and their sizes, none for the whole.
  dims = dim
  if dim is None:
    dims = []
    count = self.dim() if s is None else len(s)
    for at in range(self.dim() - count, self.dim()):
      dims.append(at)
  sizes = []
  for at in range(len(dims)):
    if s is None or s[at] == -1:
      sizes.append(self.size(dims[at]))
    else:
      sizes.append(s[at])
  return dims, sizes

# aten::fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
# aten::fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
def fftn(self, s, dim, norm):
  dims, sizes = __torch__.sized(self, s, dim)
  x = self
  if len(dims) == 0:
    x = torch.complex(__torch__.floated(x), torch.zeros_like(__torch__.floated(x)))
  for at in range(len(dims)):
    x = torch.fft_fft(x, sizes[at], dims[at], norm)
  return x

# aten::fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
# aten::fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
def ifftn(self, s, dim, norm):
  dims, sizes = __torch__.sized(self, s, dim)
  x = self
  for at in range(len(dims)):
    x = torch.fft_ifft(x, sizes[at], dims[at], norm)
  return x

# aten::fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
# aten::fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
def rfftn(self, s, dim, norm):
  dims, sizes = __torch__.sized(self, s, dim)
  last = len(dims) - 1
  x = torch.fft_rfft(self, sizes[last], dims[last], norm)
  for at in range(last):
    x = torch.fft_fft(x, sizes[at], dims[at], norm)
  return x

# aten::fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
# aten::fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
def irfftn(self, s, dim, norm):
  dims, sizes = __torch__.sized(self, s, dim)
  last = len(dims) - 1
  x = self
  for at in range(last):
    x = torch.fft_ifft(x, sizes[at], dims[at], norm)
  if s is None or s[last] == -1:
    return torch.fft_irfft(x, None, dims[last], norm)
  return torch.fft_irfft(x, sizes[last], dims[last], norm)

def other_norm(norm):
  if norm is None or norm == "backward":
    return "forward"
  if norm == "forward":
    return "backward"
  return norm

# aten::fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
def hfft(self, n, dim, norm):
  return torch.fft_irfft(torch.conj(self), n, dim, __torch__.other_norm(norm))

# aten::fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor
def ihfft(self, n, dim, norm):
  return torch.conj(torch.fft_rfft(self, n, dim, __torch__.other_norm(norm)))

# aten::fft_hfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
# aten::fft_hfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
def hfftn(self, s, dim, norm):
  dims, sizes = __torch__.sized(self, s, dim)
  last = len(dims) - 1
  x = self
  for at in range(last):
    x = torch.fft_fft(x, sizes[at], dims[at], norm)
  if s is None or s[last] == -1:
    return torch.fft_hfft(x, None, dims[last], norm)
  return torch.fft_hfft(x, sizes[last], dims[last], norm)

# aten::fft_ihfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor
# aten::fft_ihfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor
def ihfftn(self, s, dim, norm):
  dims, sizes = __torch__.sized(self, s, dim)
  last = len(dims) - 1
  x = torch.fft_ihfft(self, sizes[last], dims[last], norm)
  for at in range(last):
    x = torch.fft_ifft(x, sizes[at], dims[at], norm)
  return x

# aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor
def fftshift(self, dim):
  dims, sizes = __torch__.sized(self, None, dim)
  shifts = []
  for at in range(len(dims)):
    shifts.append(sizes[at] // 2)
  if len(dims) == 0:
    return self.clone()
  return torch.roll(self, shifts, dims)

# aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor
def ifftshift(self, dim):
  dims, sizes = __torch__.sized(self, None, dim)
  shifts = []
  for at in range(len(dims)):
    shifts.append((sizes[at] + 1) // 2)
  if len(dims) == 0:
    return self.clone()
  return torch.roll(self, shifts, dims)
