import { isSemanticallyEqual } from "../../kubernetes/meta/semanticEquality.ts"
import { behaviourFor, behaviourNamed, containerOverrides } from "../../behaviours/matchBehaviours.ts"
import { draftPodSpec } from "../draftPodSpec.ts"
import { steady } from "../../behaviours/builtInBehaviours.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

/**
 * Containers without probes are assumed to answer after this time. Clients know their endpoints earlier: a missing
 * readiness probe costs requests.
 */
export const answerMillisWithoutProbe = 2000

export const isUnprobed = ({ readinessProbe, startupProbe }: Core.Container): boolean =>
  (readinessProbe ?? startupProbe) === undefined

/** Returns keys of containers, as `containerKey` makes them. */
export const unprobedContainersIn = (documents: ReadonlyArray<ManifestDocument>): ReadonlySet<string> =>
  new Set(
    documents.flatMap(({ draft }) => {
      const { containers = [] } = draft.kind === "Job" ? {} : (draftPodSpec(draft) ?? {})
      const hasPorts = ({ ports = [] }: Core.Container): boolean => ports.length > 0
      const serving = containers.some(hasPorts) ? containers.filter(hasPorts) : containers
      return serving.filter(isUnprobed).map(containerKey)
    })
  )

/** Containers of one image, such as those of workers, may differ in their probes. */
export const containerKey = ({ name, image = "" }: Core.Container): string => `${name} ${image}`

/** Whether a behaviour other than `steady` says when a container answers. */
export const makeReadyDelayTest = ({
  behaviour = steady,
  behaviours = []
}: {
  readonly behaviour?: Behaviour | string | undefined
  readonly behaviours?: ReadonlyArray<Behaviour> | undefined
}): ((pod: Pod, containerName: string) => boolean) => {
  const namedBehaviour = typeof behaviour === "string" ? behaviourNamed(behaviour, behaviours) : behaviour
  const fallback = namedBehaviour ?? steady
  return (pod, containerName) => {
    const podBehaviour = behaviourFor(pod, behaviours, fallback)
    const override = containerOverrides(pod, behaviours, { podBehaviour, fallback }).find(
      ({ name }) => name === containerName
    )
    const { containers, ready } = override?.behaviour ?? podBehaviour
    const delay = containers?.[containerName]?.ready ?? ready
    // The delay is compared by value, since threads get copies of `steady`.
    return delay !== undefined && !isSemanticallyEqual(delay, steady.ready)
  }
}
