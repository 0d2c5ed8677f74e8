import * as Effect from "effect/Effect"
import { isPodActive } from "../../kubernetes/pods/podState.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { templateHashLabel } from "../../kubernetes/apps/revisions/podTemplates.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { PodMeter } from "../../kubernetes/metrics/podMeter.ts"
import type { SteeringSources } from "./steeringSources.ts"

/**
 * In a simulated cluster, an analysis or a hook reads the metric of its own name: the answer is the largest value of
 * the revision's active Pods. Without such a metric, it is a value within the limits.
 */
export const behaviourSources = (view: ClusterView["Service"], meter: PodMeter): SteeringSources => ({
  answer: ({ name, limits }, deployment, hash) =>
    Effect.sync(() => {
      const selector = deployment.spec.selector
      const values: Array<number> = []
      for (const pod of view.all(resources.pods)) {
        const { labels = {}, namespace } = pod.metadata
        const isOfRevision = namespace === deployment.metadata.namespace && labels[templateHashLabel] === hash
        if (!isOfRevision || !isPodActive(pod) || !matchesSelector(selector, labels)) continue
        const thousandths = meter.podMetric(pod, name)
        if (thousandths !== undefined) values.push(thousandths / 1000)
      }
      if (values.length > 0) return { value: Math.max(...values) }
      return { value: limits.equals ?? limits.min ?? limits.max ?? 0 }
    })
})
