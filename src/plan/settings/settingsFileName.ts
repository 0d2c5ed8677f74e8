/** The file with the settings of `charthouse plan`, beside the manifests and not one of them. */
export const settingsFileName = "charthouse.yaml"
