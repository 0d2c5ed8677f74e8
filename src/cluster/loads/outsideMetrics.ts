import { loadRateAt } from "../../behaviours/load/loadRate.ts"
import { snapshotPartOfMap } from "../../runtime/snapshotParts.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import type { LoadRate } from "../../behaviours/load/load.ts"
import type { PodMeter } from "../../kubernetes/metrics/podMeter.ts"
import type { SnapshotParts } from "../../runtime/snapshotParts.ts"

/** A metric of an object, such as a Service's requests, or of something outside the cluster, such as a queue. */
export interface OutsideMetric {
  readonly name: string
  /** A number, or one that changes with time as a load does. */
  readonly value: LoadRate
  /** `default` by default. */
  readonly namespace?: string
  /** `service/web`; absent for an external metric. */
  readonly object?: string
  /** Values with different labels do not replace each other. */
  readonly labels?: Readonly<Record<string, string>>
}

interface SetMetric extends OutsideMetric {
  readonly beganMillis: number
}

export interface OutsideMetrics extends Pick<PodMeter, "objectMetric" | "externalMetric"> {
  readonly set: (metric: OutsideMetric) => void
}

export const makeOutsideMetrics = (nowMillis: () => number, snapshotParts: SnapshotParts): OutsideMetrics => {
  const metrics = new Map<string, SetMetric>()
  const { save, restore } = snapshotPartOfMap(metrics)
  snapshotParts.registerPart("metrics", { save: () => (metrics.size === 0 ? undefined : save()), restore })
  /** In thousandths. */
  const valueOf = ({ value, beganMillis }: SetMetric): number =>
    Math.ceil(loadRateAt(value, { beganMillis, nowMillis: nowMillis() }) * 1000)
  return {
    set: (metric) => void metrics.set(keyOf(metric), { ...metric, beganMillis: nowMillis() }),
    objectMetric: ({ namespace, kind, name, metric }) => {
      const setMetric = metrics.get(keyOf({ name: metric, namespace, object: `${kind}/${name}` }))
      return setMetric === undefined ? undefined : valueOf(setMetric)
    },
    externalMetric: ({ namespace, metric, selector }) =>
      [...metrics.values()]
        .filter(
          (it) =>
            it.object === undefined &&
            it.name === metric &&
            (it.namespace ?? "default") === namespace &&
            (selector === undefined || matchesSelector(selector, it.labels))
        )
        .map((it) => ({ labels: it.labels ?? {}, value: valueOf(it) }))
  }
}

const keyOf = ({
  name,
  namespace = "default",
  object = "",
  labels = {}
}: Omit<OutsideMetric, "value">): string => {
  const labelTexts = Object.entries(labels).map(([label, value]) => `${label}=${value}`)
  return [namespace, name, object.toLowerCase(), ...labelTexts.sort()].join(" ")
}
