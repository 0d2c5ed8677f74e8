import type { Deployment } from "../objects.ts"

/** A Deployment as an argument of kubectl, with `-n` where it is not in the default namespace. */
export const kubectlTarget = ({ metadata }: Deployment): string =>
  `deployment/${metadata.name}${namespaceOption(metadata)}`

/** ` -n NAMESPACE`; empty for the default namespace. */
export const namespaceOption = ({ namespace = "default" }: { readonly namespace?: string }): string =>
  namespace === "default" ? "" : ` -n ${namespace}`
