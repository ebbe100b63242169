# Functions of each element, and of two.

def floated(x):
  if x.is_floating_point() or x.is_complex():
    return x
  return x.to(torch.float32)

# all aten::deg2rad(Tensor self) -> Tensor
def deg2rad(self):
  return __torch__.floated(self) * 0.017453292519943295

# all aten::rad2deg(Tensor self) -> Tensor
def rad2deg(self):
  return __torch__.floated(self) * 57.29577951308232

# all aten::logit(Tensor self, float? eps=None) -> Tensor
# aten::special_logit(Tensor self, float? eps=None) -> Tensor
def logit(self, eps):
  x = __torch__.floated(self)
  if eps is not None:
    x = x.clamp(eps, 1.0 - eps)
  return torch.log(x / (1.0 - x))

# aten::signbit(Tensor self) -> Tensor
def signbit(self):
  if self.is_floating_point():
    return torch.copysign(torch.ones_like(self), self) < 0
  return self < 0

# aten::isposinf(Tensor self) -> Tensor
def isposinf(self):
  if self.is_floating_point():
    return self == inf
  return torch.zeros_like(self, dtype=torch.bool)

# aten::isneginf(Tensor self) -> Tensor
def isneginf(self):
  if self.is_floating_point():
    return self == -inf
  return torch.zeros_like(self, dtype=torch.bool)

# aten::isreal(Tensor self) -> Tensor
def isreal(self):
  if self.is_complex():
    return torch.imag(self) == 0
  return torch.ones_like(self, dtype=torch.bool)

# all aten::sgn(Tensor self) -> Tensor
def sgn(self):
  if self.is_complex():
    size = self.abs()
    return torch.where(size == 0, torch.zeros_like(self), self / size)
  return torch.sign(self)

# aten::angle(Tensor self) -> Tensor
def angle(self):
  if self.is_complex():
    return torch.atan2(torch.imag(self), torch.real(self))
  x = __torch__.floated(self)
  turned = torch.where(x < 0, torch.full_like(x, 3.141592653589793), torch.zeros_like(x))
  return torch.where(torch.isnan(x), x, turned)

# out aten::complex(Tensor real, Tensor imag) -> Tensor
def complex_of(real, imag):
  shape = torch.broadcast_tensors([real, imag])
  return torch.view_as_complex(torch.stack([shape[0], shape[1]], -1))

# out aten::polar(Tensor abs, Tensor angle) -> Tensor
def polar(abs, angle):
  return torch.complex(abs * torch.cos(angle), abs * torch.sin(angle))

# aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
def float_power(self, exponent):
  dtype = torch.float64
  if self.is_complex() or exponent.is_complex():
    dtype = torch.complex128
  return torch.pow(self.to(dtype), exponent.to(dtype))

# aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
def float_power_scalar(self, exponent):
  return torch.float_power(self, torch.tensor(exponent))

# aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor
def float_power_base(self, exponent):
  return torch.float_power(torch.tensor(self), exponent)

# aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor
def ldexp(self, other):
  return self * torch.pow(2.0, other)

# out aten::fmax(Tensor self, Tensor other) -> Tensor
def fmax(self, other):
  if not (self.is_floating_point() or other.is_floating_point()):
    return torch.maximum(self, other)
  all = torch.broadcast_tensors([self, other])
  a = torch.where(torch.isnan(all[0]), all[1], all[0])
  b = torch.where(torch.isnan(all[1]), all[0], all[1])
  return torch.maximum(a, b)

# out aten::fmin(Tensor self, Tensor other) -> Tensor
def fmin(self, other):
  if not (self.is_floating_point() or other.is_floating_point()):
    return torch.minimum(self, other)
  all = torch.broadcast_tensors([self, other])
  a = torch.where(torch.isnan(all[0]), all[1], all[0])
  b = torch.where(torch.isnan(all[1]), all[0], all[1])
  return torch.minimum(a, b)

# all aten::heaviside(Tensor self, Tensor values) -> Tensor
def heaviside(self, values):
  all = torch.broadcast_tensors([self, values])
  return torch.where(all[0] == 0, all[1], (all[0] > 0).to(self.dtype))

# all aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
# all aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
def clamp(self, min, max):
  result = self
  if min is not None:
    result = torch.maximum(result, min)
  if max is not None:
    result = torch.minimum(result, max)
  return result

# all aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor
def clamp_min(self, min):
  return torch.maximum(self, min)

# all aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor
def clamp_max(self, max):
  return torch.minimum(self, max)

# all aten::round.decimals(Tensor self, *, int decimals) -> Tensor
def round_decimals(self, decimals):
  if not self.is_floating_point():
    return self.clone()
  if decimals == 0:
    return torch.round(self)
  if decimals < 0:
    scale = 10 ** -decimals
    return torch.round(self / scale) * scale
  scale = 10 ** decimals
  return torch.round(self * scale) / scale

# aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor
def native_dropout_backward(grad_output, mask, scale):
  return grad_output * mask * scale

# aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor
def isin(elements, test_elements, assume_unique, invert):
  found = torch.any(elements.unsqueeze(-1) == test_elements.contiguous().reshape([-1]), -1)
  if invert:
    return torch.logical_not(found)
  return found

# aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor
def isin_scalar(elements, test_element, assume_unique, invert):
  if invert:
    return elements != test_element
  return elements == test_element

# aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor
def isin_element(element, test_elements, assume_unique, invert):
  return torch.any(test_elements == element) != torch.tensor(invert)

# aten::polygamma_(Tensor(a!) self, int n) -> Tensor(a!)
def polygamma_in_place(self, n):
  self.copy_(torch.polygamma(n, self))
  return self

# aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor
def softmax_backward(grad_output, output, dim, input_dtype):
  product = grad_output * output
  return (product - output * torch.sum(product, [dim], True)).to(input_dtype)

# aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor
def log_softmax_backward(grad_output, output, dim, input_dtype):
  return (grad_output - torch.exp(output) * torch.sum(grad_output, [dim], True)).to(input_dtype)

# aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor
def safe_softmax(self, dim, dtype):
  result = torch.softmax(self, dim, dtype)
  none = torch.all(self == -inf, dim, True)
  return torch.where(none, torch.zeros_like(result), result)
