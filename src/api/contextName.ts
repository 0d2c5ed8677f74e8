/** What the context of a cluster is called in a kubeconfig. */
export const contextName = (name: string): string => `charthouse-${name}`

/** Whether a name is good for a context, and for a label. */
export const isClusterName = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$/.test(name)
