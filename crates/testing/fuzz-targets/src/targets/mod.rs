//! The targets: a module each, and the table of them.

/// The modules of targets, and the table.
macro_rules! targets {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// All targets by their names: functions that take any bytes.
        pub const TARGETS: &[(&str, fn(&[u8]))] = &[$((stringify!($name), $name::run)),*];
    };
}

targets! {
    chronicle
    compilation_cache
    compile_options
    container_image
    debug_information
    environment
    hdf5
    header
    ifrt_proxy_session
    ifrt_value
    gguf
    gpu_code
    peft
    class_names
    tokenizers
    boosters
    jax_export
    keras_file
    lint_configuration
    lock
    model_folder
    native_extension
    native_stablehlo
    npy
    onnx_model
    onnx_ort
    onnx_text
    op_history
    optimized_program
    package_wheel
    packed_archive
    protobuf
    protobuf_descriptors
    python_source
    safetensors
    schema
    scikit_learn
    script
    serdes
    shared_object
    stablehlo
    stablehlo_text
    stamped_executable
    tensorflow_checkpoint
    tensorflow_convert
    tensorflow_file
    tensorflow_saved_model
    tensorflow_text
    tfjs_model
    torch_convert
    torch_file
    torch_flatbuffer
    torch_pickle
    torch_records
    triton_configuration
    typing
    unversioned
    wheel
    zip_archive
}
