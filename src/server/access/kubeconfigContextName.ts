export const contextNamePrefix = "charthouse-"

export const kubeconfigContextName = (name: string): string => `${contextNamePrefix}${name}`

/** The name must be valid in a kubeconfig context and as a label. */
export const isClusterName = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$/.test(name)
