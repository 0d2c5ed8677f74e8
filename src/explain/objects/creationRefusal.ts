import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/**
 * StatefulSets, DaemonSets and Jobs have no condition for a refused Pod or claim: the last Event tells, unless a Pod
 * came after it.
 */
export const creationRefusal = (
  { metadata }: KubeObject,
  pods: ReadonlyArray<KubeObject>,
  events: ReadonlyArray<NormalizedEvent>
): string | undefined => {
  const newestPodMillis = pods.reduce((newest, pod) => Math.max(newest, millisOf(pod)), -Infinity)
  return events
    .filter(({ involvedObject, reason }) => involvedObject.uid === metadata.uid && reason === "FailedCreate")
    .filter(({ lastTimestamp }) => timestampMillis(lastTimestamp) > newestPodMillis)
    .reduce<NormalizedEvent | undefined>((last, event) => laterOf(last, event), undefined)
    ?.message.replace(/\.$/u, "")
}

const millisOf = ({ metadata }: KubeObject): number => timestampMillis(metadata.creationTimestamp)

const laterOf = (a: NormalizedEvent | undefined, b: NormalizedEvent): NormalizedEvent =>
  a !== undefined && timestampMillis(a.lastTimestamp) > timestampMillis(b.lastTimestamp) ? a : b

export const refusalSentences = (message: string | undefined): ReadonlyArray<string> =>
  message === undefined ? [] : [`A Pod cannot be created: ${message} (FailedCreate).`]
