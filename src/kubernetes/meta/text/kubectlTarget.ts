import type { Deployment } from "../objects.ts"

export const kubectlTarget = ({ metadata }: Deployment): string =>
  `deployment/${metadata.name}${namespaceOption(metadata)}`

/** Empty for the default namespace. */
export const namespaceOption = ({ namespace = "default" }: { readonly namespace?: string }): string =>
  namespace === "default" ? "" : ` -n ${namespace}`
