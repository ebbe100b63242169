module {
func.func @f(%a: tensor<4xf32>) {
%0 = "chlo.erf"(%a) : (tensor<4xf32>) -> tensor<4xf32>
return
}
}
