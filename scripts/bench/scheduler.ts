import { multiLineMeasure, timed } from "./measure.ts"
import { webManifest } from "./fixtures.ts"
import type { Draft, OpenCluster } from "charthouse"
import type { Checkout } from "./checkout.ts"
import type { MeasurementsByLine } from "./measure.ts"

/** A large cluster, of which half of the Deployments ask for nodes apart from each other, or evenly spread. */
const nodes = 1000
const deployments = 100
const replicas = 100
const topologyKey = "kubernetes.io/hostname"

const requirementOf = (index: number, labelSelector: object): object => {
  if (index % 4 === 0) {
    const term = { labelSelector, topologyKey }
    return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }
  }
  if (index % 4 === 2) {
    const constraint = { labelSelector, topologyKey, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }
    return { topologySpreadConstraints: [constraint] }
  }
  return {}
}

const deployment = (index: number, hasRequirements: boolean): Draft => {
  const name = `web-${index}`
  const draft = webManifest(replicas, "v1", name)
  const { template, ...spec } = draft.spec as unknown as { readonly template: { readonly spec: object } }
  const requirement = hasRequirements ? requirementOf(index, { matchLabels: { app: name } }) : {}
  const withRequirements = { ...spec, template: { ...template, spec: { ...template.spec, ...requirement } } }
  return Object.assign({}, draft, { spec: withRequirements })
}

/** The processor's time for each tenth of the Pods, in the order in which they are created. */
const cpuMillisByTenth = async (
  checkout: Checkout,
  hasRequirements: boolean
): Promise<ReadonlyArray<number>> => {
  const { openCluster, instant } = await checkout.library()
  const cluster: OpenCluster = await openCluster({ nodes, behaviour: instant })
  const tenths: Array<number> = []
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const first = (tenth * deployments) / 10
    const { cpuMillis } = await timed(async () => {
      for (let index = first; index < first + deployments / 10; index += 1)
        await cluster.create(deployment(index, hasRequirements))
      await cluster.settle()
    })
    tenths.push(cpuMillis)
  }
  await cluster.close()
  return tenths
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, it) => total + it, 0)

const plainLine = "scheduler: 10,000 Pods on 1,000 nodes"
const requirementsLine = "scheduler: 10,000 Pods on 1,000 nodes, half apart or spread"
const growthLine = "scheduler: the last 3,000 of them beside the 3,000 before the middle"

const measureScheduler = async (checkout: Checkout): Promise<MeasurementsByLine> => {
  const plainCpuMillis = sum(await cpuMillisByTenth(checkout, false))
  const tenths = await cpuMillisByTenth(checkout, true)
  const requirementsCpuMillis = sum(tenths)
  return {
    [plainLine]: {
      value: plainCpuMillis / 1000,
      unit: "s",
      bound: 6,
      cpuMillis: plainCpuMillis,
      note: "CPU time"
    },
    [requirementsLine]: {
      value: requirementsCpuMillis / 1000,
      unit: "s",
      bound: 8,
      cpuMillis: requirementsCpuMillis,
      note: "CPU time"
    },
    [growthLine]: {
      value: sum(tenths.slice(7)) / sum(tenths.slice(2, 5)),
      unit: "x",
      bound: 1.3,
      note: "what a Pod costs does not grow with their number"
    }
  }
}

export const schedulerMeasures = [
  multiLineMeasure([plainLine, requirementsLine, growthLine], measureScheduler)
]
