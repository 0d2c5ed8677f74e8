import * as Effect from "effect/Effect"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { sampleWindowMillis } from "../../kubernetes/metrics/podMeter.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import { NotFound } from "../../store/storeErrors.ts"
import { toObjectAnswer } from "../requests/apiCall.ts"
import { readListSelection } from "../requests/listSelection.ts"
import type { ApiAnswer, ApiCall, VerbHandler } from "../requests/apiCall.ts"
import type { ContainerSample } from "../../kubernetes/metrics/podMeter.ts"
import type { KubeObject, Node, Pod } from "../../kubernetes/meta/objects.ts"

/** The usage of a node's kubelet and system, beside that of its Pods. */
const nodeCpuMillicores = 50
const nodeMemoryBytes = 512 * 2 ** 20

const totalUsage = (samples: ReadonlyArray<Omit<ContainerSample, "name">>, ownUsage = noUsage) => {
  const cpuMillicores = samples.reduce((sum, it) => sum + it.cpuMillicores, ownUsage.cpuMillicores)
  const memoryBytes = samples.reduce((sum, it) => sum + it.memoryBytes, ownUsage.memoryBytes)
  return { cpu: `${Math.ceil(cpuMillicores * 1e6)}n`, memory: `${Math.ceil(memoryBytes / 1024)}Ki` }
}

const noUsage = { cpuMillicores: 0, memoryBytes: 0 }

const metadataOf = ({ metadata }: KubeObject, nowMillis: number) => ({
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  creationTimestamp: timestampOf(nowMillis),
  ...(metadata.labels === undefined ? {} : { labels: metadata.labels })
})

const windowText = formatDuration(sampleWindowMillis)

const podMetrics = ({ services }: ApiCall, pod: Pod): ReadonlyArray<KubeObject> => {
  const sample = services.meter?.sampleOf(pod)
  if (sample === undefined) return []
  const metrics = {
    kind: "PodMetrics",
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: metadataOf(pod, sample.atMillis),
    timestamp: timestampOf(sample.atMillis),
    window: windowText,
    containers: sample.containers.map((it) => ({ name: it.name, usage: totalUsage([it]) }))
  }
  return [metrics as unknown as KubeObject]
}

const nodeMetrics = ({ services }: ApiCall, node: Node): ReadonlyArray<KubeObject> => {
  const { view, meter, nowMillis } = services
  const samples: Array<ContainerSample> = []
  for (const pod of view.nodePods.on(node.metadata.name))
    samples.push(...(meter?.sampleOf(pod)?.containers ?? []))
  const metrics = {
    kind: "NodeMetrics",
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: metadataOf(node, nowMillis()),
    timestamp: timestampOf(nowMillis()),
    window: windowText,
    usage: totalUsage(samples, { cpuMillicores: nodeCpuMillicores, memoryBytes: nodeMemoryBytes })
  }
  return [metrics as unknown as KubeObject]
}

const usageMetricsFor = (call: ApiCall): ReadonlyArray<KubeObject> => {
  const { matches } = readListSelection(call)
  const { view } = call.services
  const metrics =
    call.target.kind.kind === "NodeMetrics"
      ? [...view.all(resources.nodes)].filter(matches).flatMap((node) => nodeMetrics(call, node))
      : [...view.all(resources.pods)].filter(matches).flatMap((pod) => podMetrics(call, pod))
  const keyOf = ({ metadata }: KubeObject): string => toObjectKey(metadata.namespace, metadata.name)
  return metrics.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** The usage is computed for each request. Source: the API of kubernetes-sigs/metrics-server (pkg/api). */
export const usageVerb =
  (verb: string): VerbHandler =>
  (call) =>
    Effect.suspend((): Effect.Effect<ApiAnswer, NotFound> => {
      const items = usageMetricsFor(call)
      if (verb === "list") {
        const page = { items, resourceVersion: "", continue: undefined, remainingItemCount: undefined }
        return Effect.succeed({ type: "list", kind: call.target.kind, page } as const)
      }
      const [namedObject] = items
      if (namedObject !== undefined) return Effect.succeed(toObjectAnswer(namedObject))
      const { name = "", namespace, kind } = call.target
      const resource = `${kind.kind.toLowerCase()}.metrics.k8s.io`
      return Effect.fail(new NotFound({ resource, resourceName: toObjectKey(namespace, name) }))
    })
