import { allContainersOf, draftPodSpec } from "../draftPodSpec.ts"
import {
  containerPath,
  defaultTerminationGraceSeconds,
  preStopMillis
} from "../../kubernetes/pods/containers/containers.ts"
import { maybeUnwritablePathsOf } from "../knownImages.ts"
import { secondsUntilEnd } from "../seeds/briefCommand.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Reason } from "./verdict.ts"
import type { WorkloadWithKind } from "../workloads.ts"

/** Mistakes in the containers of a workload that its figures do not show. */
export const containerRisks = ({ kind, object }: WorkloadWithKind): ReadonlyArray<Reason> => {
  const spec = object.spec.template.spec ?? { containers: [] }
  const graceSeconds = spec.terminationGracePeriodSeconds ?? defaultTerminationGraceSeconds
  const portRisks = sharedPorts(spec.containers).map((text) => ({ rule: "container-ends" as const, text }))
  const ownRisks = allContainersOf(spec).flatMap((container): ReadonlyArray<Reason> => {
    const path = ["spec", "template", "spec", ...containerPath(spec, container.name)]
    const title = `container ${JSON.stringify(container.name)}`
    const hookSeconds = preStopMillis(container) / 1000
    const sleepSeconds =
      kind === "Job" || !spec.containers.includes(container) ? undefined : secondsUntilEnd(container)
    const unwritable = maybeUnwritablePathsOf(container, spec)
    return [
      ...(unwritable === undefined
        ? []
        : [
            { rule: "container-ends" as const, text: `${title} may fail at once: ${unwritable}`, field: path }
          ]),
      ...(sleepSeconds === undefined
        ? []
        : [
            {
              rule: "container-ends" as const,
              text: `${title} ends after ${sleepSeconds}s, again and again: its command only sleeps`,
              field: [...path, "command"]
            }
          ]),
      ...(hookSeconds > 0 && hookSeconds >= graceSeconds
        ? [
            {
              rule: "stop-cut-short" as const,
              text: `preStop of ${title} takes ${hookSeconds}s, and terminationGracePeriodSeconds: ${graceSeconds} leaves its processes no time to stop`,
              field: [...path, "lifecycle", "preStop"]
            }
          ]
        : [])
    ]
  })
  return [...portRisks, ...ownRisks]
}

/** The containers of a Pod share its network: the second one to listen on a port fails. */
const sharedPorts = (containers: ReadonlyArray<Core.Container>): ReadonlyArray<string> => {
  const firstByPort = new Map<string, string>()
  return containers.flatMap(({ name, ports = [] }) => {
    const keys = new Set(ports.map(({ containerPort, protocol = "TCP" }) => `${containerPort}/${protocol}`))
    return [...keys].flatMap((port) => {
      const first = firstByPort.get(port)
      if (first === undefined) firstByPort.set(port, name)
      return first === undefined
        ? []
        : [
            `containers ${JSON.stringify(first)} and ${JSON.stringify(name)} both declare port ${port}, on which only one can listen`
          ]
    })
  })
}

export const imagesOfDocument = (document: ManifestDocument | undefined): ReadonlySet<string | undefined> =>
  new Set(allContainersOf((document && draftPodSpec(document.draft)) ?? {}).map(({ image }) => image))
