import { isPodReady } from "../../kubernetes/pods/podState.ts"
import { podReason, podState } from "../tree/podState.ts"
import { shownRestarts } from "../../kubernetes/pods/podStatusText.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { KubeObject, Pod } from "../../kubernetes/meta/objects.ts"

export const ageJson = ({ metadata }: KubeObject, nowMillis: number) => ({
  created: metadata.creationTimestamp,
  ageSeconds: Math.max(0, Math.floor((nowMillis - timestampMillis(metadata.creationTimestamp)) / 1000))
})

export const podJson = (pod: Pod, nowMillis: number): object => {
  const reason = podReason(pod)
  return {
    name: pod.metadata.name,
    uid: pod.metadata.uid,
    state: podState(pod).word,
    ready: isPodReady(pod),
    restarts: shownRestarts(pod),
    ...(pod.spec.nodeName === undefined ? {} : { node: pod.spec.nodeName }),
    ...(reason === undefined ? {} : { reason }),
    ...ageJson(pod, nowMillis)
  }
}
