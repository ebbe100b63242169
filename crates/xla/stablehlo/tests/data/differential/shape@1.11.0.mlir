module {
func.func @f(%a: tensor<?xf32>) {
%0 = "shape.shape_of"(%a) : (tensor<?xf32>) -> tensor<1xindex>
return
}
}
