import type * as Core from "kubernetes-types/core/v1.js"
import type { Kind } from "../kinds.ts"
import type { Draft } from "../objects.ts"
import { labelProblems, subdomainProblems } from "./names.ts"
import type { Loose } from "./sharing.ts"

/**
 * What Kubernetes lets pass with a word of warning.
 *
 * Source: pkg/registry/apps/deployment/strategy.go and replicaset/strategy.go (WarningsOnCreate),
 * pkg/api/pod/warnings.go.
 */
interface Templated extends Draft {
  readonly spec?: Loose<Core.PodSpec> & { readonly template?: { readonly spec?: Loose<Core.PodSpec> } }
}

/** The warnings that go with a successful create, in the words of the Warning header. */
export const createWarnings = (kind: Kind, object: Draft): ReadonlyArray<string> => {
  const { spec }: Templated = object
  switch (`${kind.group}/${kind.kind}`) {
    case "apps/Deployment":
    case "apps/ReplicaSet":
      return [
        ...nameWarnings(object, "in Pod names and hostnames"),
        ...podWarnings(spec?.template?.spec ?? {}, "spec.template.spec")
      ]
    case "/Pod":
      return [...nameWarnings(object, "in the Pod's hostname"), ...podWarnings(spec ?? {}, "spec")]
    default:
      return []
  }
}

/**
 * The warning that goes with every request for a kind that is about to go.
 *
 * Source: staging/src/k8s.io/api/core/v1/types.go (Endpoints), staging/src/k8s.io/apiserver/pkg/endpoints/deprecation.
 */
export const deprecation = ({ group, kind }: Kind): string | undefined =>
  group === "" && kind === "Endpoints"
    ? "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
    : undefined

/** A valid name with dots in it makes a host name that surprises. */
const nameWarnings = ({ metadata: { name = "" } }: Draft, use: string): ReadonlyArray<string> => {
  const problems = labelProblems(name)
  if (name === "" || problems.length === 0 || subdomainProblems(name).length > 0) return []
  const advice = "which can result in surprising behavior; a DNS label is recommended"
  return [`metadata.name: this is used ${use}, ${advice}: [${problems.join(" ")}]`]
}

const podWarnings = (spec: Loose<Core.PodSpec>, path: string): ReadonlyArray<string> =>
  (spec.containers ?? []).flatMap((container, index) => [
    ...portWarnings(container, `${path}.containers[${index}]`),
    ...envWarnings(container, `${path}.containers[${index}]`)
  ])

const portWarnings = ({ ports = [] }: Core.Container, path: string): ReadonlyArray<string> => {
  const firsts = new Map<string, number>()
  return ports.flatMap(({ containerPort, hostPort = 0, hostIP = "", protocol = "TCP" }, index) => {
    const port = `${containerPort}/${protocol}/${hostPort}/${hostIP}`
    const first = firsts.get(port)
    if (first === undefined) firsts.set(port, index)
    return first === undefined
      ? []
      : [`${path}.ports[${index}]: duplicate port definition with ${path}.ports[${first}]`]
  })
}

const envWarnings = ({ env = [] }: Core.Container, path: string): ReadonlyArray<string> => {
  const names = new Set<string>()
  return env.flatMap(({ name }, index) => {
    const isHiding = names.has(name)
    names.add(name)
    const loss = "which may be dropped when using apply"
    return isHiding ? [`${path}.env[${index}]: hides previous definition of "${name}", ${loss}`] : []
  })
}
