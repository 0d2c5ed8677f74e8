/** The file with the settings of plan, beside the manifests. No manifest is in it. */
export const settingsFileName = "charthouse.yaml"
