import type { Deployment } from "../objects.ts"

/** A Deployment as an argument of kubectl, with `-n` where it is not in the default namespace. */
export const kubectlTarget = ({ metadata: { namespace = "default", name } }: Deployment): string =>
  `deployment/${name}${namespace === "default" ? "" : ` -n ${namespace}`}`
