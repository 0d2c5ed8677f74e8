import { isSameValue } from "../../kubernetes/meta/semanticEquality.ts"
import { behaviourFor, behaviourNamed, containerOverrides } from "../../behaviours/matchBehaviours.ts"
import { draftPodSpec } from "../draftPodSpec.ts"
import { steady } from "../../behaviours/builtInBehaviours.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

/**
 * How long a container without a probe takes from running until it answers, where no assumption says how long. It is
 * longer than clients take to know a new endpoint: a missing readiness probe costs requests.
 */
export const unprobedAnswerMillis = 2000

/** Whether a container has no probe that keeps it unready: neither a readiness nor a startup probe. */
export const isUnprobed = ({ readinessProbe, startupProbe }: Core.Container): boolean =>
  (readinessProbe ?? startupProbe) === undefined

/**
 * The containers without a probe that may serve, as `containerKey` names them. Advice that adds a probe to one of them
 * changes nothing of how long it takes. Those of Jobs serve nothing.
 */
export const unprobedContainersIn = (documents: ReadonlyArray<ManifestDocument>): ReadonlySet<string> =>
  new Set(
    documents.flatMap(({ draft }) => {
      const { containers = [] } = draft.kind === "Job" ? {} : (draftPodSpec(draft) ?? {})
      const hasPorts = ({ ports = [] }: Core.Container): boolean => ports.length > 0
      // Requests go to the containers that declare ports or, if none does, to all.
      const serving = containers.some(hasPorts) ? containers.filter(hasPorts) : containers
      return serving.filter(isUnprobed).map(containerKey)
    })
  )

/** Also the name: other containers of the same image, such as those of workers, may have no probe. */
export const containerKey = ({ name, image = "" }: Core.Container): string => `${name} ${image}`

/** Finds out whether an assumption or a behaviour says how long a container takes until it answers. */
export const makeReadyAssumption = ({
  behaviour = steady,
  behaviours = []
}: {
  readonly behaviour?: Behaviour | string | undefined
  readonly behaviours?: ReadonlyArray<Behaviour> | undefined
}): ((pod: Pod, containerName: string) => boolean) => {
  const named = typeof behaviour === "string" ? behaviourNamed(behaviour, behaviours) : behaviour
  const fallback = named ?? steady
  return (pod, containerName) => {
    const podBehaviour = behaviourFor(pod, behaviours, fallback)
    const override = containerOverrides(pod, behaviours, { podBehaviour, fallback }).find(
      ({ name }) => name === containerName
    )
    const { containers, ready } = override?.behaviour ?? podBehaviour
    const delay = containers?.[containerName]?.ready ?? ready
    // Assumptions take over the other delays of `steady`, and threads get copies of them.
    return delay !== undefined && !isSameValue(delay, steady.ready)
  }
}
