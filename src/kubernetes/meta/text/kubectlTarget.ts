import type { Deployment } from "../objects.ts"

export const kubectlTarget = ({ metadata }: Deployment): string =>
  `deployment/${metadata.name}${namespaceOption(metadata)}`

export const namespaceOption = ({ namespace = "default" }: { readonly namespace?: string }): string =>
  namespace === "default" ? "" : ` -n ${namespace}`
