import { millisAt, textAt } from "./workloadObservations.ts"
import type { Autoscaler, MetricSpec } from "../../src/kubernetes/autoscaling/autoscalerTypes.ts"
import type {
  AutoscalerObservation,
  MetricReading,
  ScaleTarget,
  TargetProblem
} from "../../src/kubernetes/autoscaling/autoscalerObservation.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"

export interface MeasuredPod {
  /** Thousandths of a core; undefined: not measured. */
  readonly cpu?: number
  readonly phase?: string
  readonly ready?: boolean
  /** Seconds since it started and since it became ready or unready; long ago by default. */
  readonly started?: number
  readonly changed?: number
  readonly deleting?: boolean
  /** Its CPU request; `null` for none. */
  readonly request?: string | null
}

export interface AutoscalerSituation {
  readonly spec?: Partial<Autoscaler["spec"]>
  readonly status?: Autoscaler["status"]
  readonly target?: Partial<ScaleTarget> | TargetProblem
  readonly pods?: ReadonlyArray<MeasuredPod>
  /** By default the CPU of the Pods. */
  readonly readings?: ReadonlyArray<MetricReading>
  readonly rivals?: ReadonlyArray<string>
  readonly now?: number
}

const podOf = (index: number, now: number, traits: MeasuredPod): Pod => {
  const { phase = "Running", ready = true, started = 3600, changed = started, deleting, request } = traits
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `web-${index}`,
      namespace: "shop",
      uid: `web-${index}`,
      resourceVersion: "1",
      creationTimestamp: textAt(now - started),
      ...(deleting === true ? { deletionTimestamp: textAt(now) } : {})
    },
    spec: {
      containers: [
        {
          name: "web",
          image: "i",
          resources: request === null ? {} : { requests: { cpu: request ?? "100m" } }
        }
      ]
    },
    status: {
      phase,
      startTime: textAt(now - started),
      conditions: [
        { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: textAt(now - changed) }
      ]
    }
  }
}

export const cpuAt = (averageUtilization: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } }
})

const cpuReading = (pods: ReadonlyArray<MeasuredPod>, nowMillis: number): MetricReading => ({
  values: Object.fromEntries(
    pods.flatMap(({ cpu }, index) =>
      cpu === undefined
        ? []
        : [[`web-${index}`, { value: cpu, atMillis: nowMillis, windowMillis: 15_000 }] as const]
    )
  )
})

export const observedAutoscaler = ({
  spec = {},
  status = { desiredReplicas: 0 },
  target = {},
  pods = [{ cpu: 60 }, { cpu: 60 }],
  readings,
  rivals: competingAutoscalers = [],
  now = 7200
}: AutoscalerSituation): AutoscalerObservation => {
  const nowMillis = millisAt(now)
  const replicas = pods.filter(({ deleting }) => deleting !== true).length
  return {
    autoscaler: {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: {
        name: "web",
        namespace: "shop",
        uid: "web",
        resourceVersion: "1",
        creationTimestamp: textAt(0)
      },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [cpuAt(60)],
        ...spec
      },
      status
    },
    target:
      "problem" in target ? target : { replicas, statusReplicas: replicas, selector: "app=web", ...target },
    pods: pods.map((traits, index) => podOf(index, now, traits)),
    readings: readings ?? [cpuReading(pods, nowMillis)],
    competingAutoscalers,
    nowMillis
  }
}

export const autoscalerObservations: ReadonlyMap<string, AutoscalerObservation> = new Map(
  Object.entries({
    steady: {},
    "too little": { pods: [{ cpu: 120 }, { cpu: 120 }] },
    "far too little": { pods: [{ cpu: 900 }, { cpu: 900 }] },
    "more than it may have": { spec: { maxReplicas: 2 }, pods: [{ cpu: 120 }, { cpu: 120 }] },
    "too much": { pods: [{ cpu: 10 }, { cpu: 10 }, { cpu: 10 }], now: 7300 },
    "above maxReplicas": { target: { replicas: 20 } },
    "below minReplicas": { spec: { minReplicas: 3 } },
    disabled: { target: { replicas: 0 }, pods: [] },
    "no values": { readings: [{ problem: "no metrics returned from resource metrics API" }] },
    "two autoscalers": { rivals: ["shop/other", "shop/web"] },
    "no selector": { target: { selector: "" } },
    "no target": { target: { problem: 'deployments.apps "web" not found' } }
  } satisfies Readonly<Record<string, AutoscalerSituation>>).map(([name, situation]) => [
    name,
    observedAutoscaler(situation)
  ])
)
