/** The file with the settings of `charthouse plan`, which stands beside the manifests and is none. */
export const settingsFileName = "charthouse.yaml"
