module {
func.func @f(%a: tensor<4xf32>) {
%0 = "math.sin"(%a) : (tensor<4xf32>) -> tensor<4xf32>
return
}
}
