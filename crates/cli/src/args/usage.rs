//! Arguments for how a model of TensorFlow is used, of the verbs that judge one.

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct UsageArgs {
    /// Judge TensorFlow's kernels for this device
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: Device,
    /// Judge a SavedModel for this loader [default: the one of its release]
    #[arg(long, value_name = "LOADER")]
    loader: Option<Loader>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Device {
    /// A machine without an accelerator
    #[default]
    Cpu,
    /// A machine with an NVIDIA GPU
    Gpu,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Loader {
    /// tf.saved_model.load of TensorFlow 2
    Objects,
    /// A session of Python: saved_model_cli, tf.compat.v1.saved_model.load
    Session,
    /// LoadSavedModel of the C++ library: C++, C, Go, Java
    #[value(aliases = ["c", "go", "java"])]
    Cpp,
    /// The model server of TensorFlow Serving
    Serving,
    /// keras.models.load_model
    Keras,
}

impl From<UsageArgs> for unskew_tensorflow::RuntimeUsage {
    fn from(usage: UsageArgs) -> Self {
        let device = match usage.device {
            Device::Cpu => unskew_tensorflow::DeviceType::Cpu,
            Device::Gpu => unskew_tensorflow::DeviceType::Gpu,
        };
        let loader = usage.loader.map(|loader| match loader {
            Loader::Objects => unskew_tensorflow::SavedModelLoader::Objects,
            Loader::Session => unskew_tensorflow::SavedModelLoader::Session,
            Loader::Cpp => unskew_tensorflow::SavedModelLoader::Cpp,
            Loader::Serving => unskew_tensorflow::SavedModelLoader::Serving,
            Loader::Keras => unskew_tensorflow::SavedModelLoader::Keras,
        });
        Self { device, loader }
    }
}
