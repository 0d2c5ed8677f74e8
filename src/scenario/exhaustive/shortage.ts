import { counted } from "../../domain/counted.ts"
import { addQuantities, compareQuantities, formatQuantity } from "../../domain/quantity.ts"
import { amountsOf } from "../../domain/podResources.ts"
import { keyOf } from "../../domain/objects.ts"
import { missingAmounts, nothing, podUsage, quotaRule } from "../../domain/quotas.ts"
import { place } from "../../domain/placement.ts"
import { podLimits } from "../../domain/limitRanges.ts"
import { podsMostOf } from "../../domain/promises.ts"
import { requestsOf } from "../../domain/requests.ts"
import { resources } from "../../domain/kinds.ts"
import type { Deployment, Node, PodSpec } from "../../domain/objects.ts"
import type { PlacedLoad } from "../../domain/placement.ts"
import type { Quantity } from "../../domain/quantity.ts"
import type { Requests } from "../../domain/requests.ts"
import type { ClusterView } from "../../store/objectStore.ts"

type View = Pick<ClusterView["Service"], "all">

/** One that asks for Pods: how many there may be of them at once, and what they are like. */
interface Asker {
  readonly id: string
  readonly namespace: string
  readonly count: number
  readonly spec: PodSpec
}

/** Everything in a store where nothing lives that will ask for Pods. */
export const askersIn = (view: View): ReadonlyArray<Asker> => [
  ...[...view.all(resources.deployments)].flatMap((it) => asker(it, it.spec.template.spec, podsMostOf(it))),
  ...[...view.all(resources.replicaSets)].flatMap((it) => asker(it, it.spec.template.spec, it.spec.replicas)),
  ...[...view.all(resources.pods)].flatMap((it) => asker(it, it.spec, 1))
]

const asker = (
  object: Parameters<typeof keyOf>[0],
  spec: PodSpec | undefined,
  count: number
): ReadonlyArray<Asker> =>
  spec === undefined
    ? []
    : [
        {
          id: `${object.kind} ${keyOf(object)}`,
          namespace: object.metadata.namespace ?? "default",
          count,
          spec
        }
      ]

/**
 * What there may be too little of for a rollout ever to end: of what quotas allow, or of room on the nodes. Undefined
 * where there is enough for every Pod that anybody may ask for at once, however they are spread: what Pods on their way
 * out still take comes free, and whoever was refused tries again.
 */
export const shortageFor = (
  deployment: Deployment,
  view: View,
  askers: ReadonlyArray<Asker>
): string | undefined => {
  const { namespace = "default" } = deployment.metadata
  const { fill, refusal } = podLimits(
    [...view.all(resources.limitRanges)].filter((it) => it.metadata.namespace === namespace)
  )
  const filled = askers.map((it) => {
    const { spec } = fill({ apiVersion: "v1", kind: "Pod", metadata: {}, spec: it.spec })
    return it.namespace === namespace && spec !== undefined ? { ...it, spec } : it
  })
  const own = filled.filter(({ id }) => id === `Deployment ${keyOf(deployment)}`).map(({ spec }) => spec)
  for (const spec of own) {
    const why = refusal(spec)
    if (why !== undefined) return `its Pods are refused: ${why}`
  }
  return ofQuotas(own, { namespace, view, askers: filled }) ?? ofNodes(own, { view, askers: filled })
}

/** What somebody asks for at once: no more Pods than before or after, each no larger than before or after. */
interface Asked {
  readonly id: string
  readonly count: number
  readonly specs: ReadonlyArray<PodSpec>
}

/** Whoever asks for Pods before and after is one. */
const askedAtOnce = (askers: ReadonlyArray<Asker>): ReadonlyArray<Asked> =>
  [...Map.groupBy(askers, ({ id }) => id)].map(([id, same]) => ({
    id,
    count: Math.max(...same.map(({ count }) => count)),
    specs: same.map(({ spec }) => spec)
  }))

const ofQuotas = (
  own: ReadonlyArray<PodSpec>,
  world: { readonly namespace: string; readonly view: View; readonly askers: ReadonlyArray<Asker> }
): string | undefined => {
  const { namespace, view } = world
  const askers = world.askers.filter((it) => it.namespace === namespace)
  const asked = askedAtOnce(askers)
  for (const quota of view.all(resources.resourceQuotas)) {
    if (quota.metadata.namespace !== namespace) continue
    const { name, hard, elsewhere, namesFor } = quotaRule(quota)
    const called = `ResourceQuota ${name}`
    const names = namesFor(resources.pods)
    for (const spec of own) {
      const missing = missingAmounts(names, spec)
      if (missing !== undefined) return `${called} refuses its Pods: ${missing}`
    }
    for (const resource of names) {
      const allowed = hard.get(resource)
      if (allowed === undefined) continue
      const shares = asked.map(({ id, count, specs }) => {
        const each = greatest(specs.map((spec) => podUsage(spec).get(resource) ?? nothing))
        return { says: `${id} ${count} x ${formatQuantity(each)}`, all: times(each, count) }
      })
      const others = elsewhere.get(resource) ?? nothing
      shares.push({ says: `others ${formatQuantity(others)}`, all: others })
      const wanted = shares.map(({ all }) => all).reduce(addQuantities, nothing)
      if (compareQuantities(wanted, allowed) <= 0) continue
      const [all, most] = [formatQuantity(wanted), formatQuantity(allowed)]
      const parts = greatestFirst(shares)
      return `${called} allows ${resource} ${most}, and the Pods asked for at once take ${all}: ${parts}`
    }
    const [bounding] = namesFor(resources.replicaSets)
    if (bounding !== undefined) return `${called} allows only so many ReplicaSets (${bounding})`
  }
  return undefined
}

const sharesMax = 4

const greatestFirst = (shares: ReadonlyArray<{ readonly says: string; readonly all: Quantity }>): string => {
  const some = shares.filter(({ all }) => all.nanos > 0n).toSorted((a, b) => compareQuantities(b.all, a.all))
  const shown = some.slice(0, sharesMax).map(({ says }) => says)
  const more = some.length - shown.length
  return `${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}`
}

const times = (each: Quantity, count: number): Quantity => ({ ...each, nanos: each.nanos * BigInt(count) })

const greatest = (quantities: ReadonlyArray<Quantity>): Quantity =>
  quantities.reduce((most, it) => (compareQuantities(it, most) > 0 ? it : most), nothing)

/** As many as there may be, each as large as the largest, on those nodes where these may go: then one more fits. */
const ofNodes = (
  own: ReadonlyArray<PodSpec>,
  { view, askers }: { readonly view: View; readonly askers: ReadonlyArray<Asker> }
): string | undefined => {
  const count = askedAtOnce(askers).reduce((sum, asked) => sum + asked.count, 0)
  const nodes = [...view.all(resources.nodes)].map(readied)
  const requests = askers.map(({ spec }) => requestsOf(spec)).reduce(larger, noRoom)
  for (const spec of own) {
    const loads = new Map<string, PlacedLoad>()
    for (let placed = 0; placed < count; placed += 1) {
      const placement = place({ spec: sized(spec, requests) }, nodes, (node) => loads.get(node) ?? noRoom)
      if (!placement.found) {
        const each = amountText(requests)
        return (
          `up to ${counted(count, "Pod")} asked for at once take ${each === "" ? "a place" : `up to ${each}`}` +
          ` each, and the nodes have room for ${placed}: ${placement.message}`
        )
      }
      const { name } = placement.node.metadata
      const load = loads.get(name) ?? noRoom
      loads.set(name, {
        pods: load.pods + 1,
        cpuMillis: load.cpuMillis + requests.cpuMillis,
        memoryMillis: load.memoryMillis + requests.memoryMillis
      })
    }
  }
  return undefined
}

const noRoom: PlacedLoad = { pods: 0, cpuMillis: 0n, memoryMillis: 0n }

const larger = (a: PlacedLoad, b: Requests): PlacedLoad => ({
  pods: 0,
  cpuMillis: a.cpuMillis > b.cpuMillis ? a.cpuMillis : b.cpuMillis,
  memoryMillis: a.memoryMillis > b.memoryMillis ? a.memoryMillis : b.memoryMillis
})

/** Nodes come up before anything else does. */
const readied = (node: Node): Node => ({
  ...node,
  status: { ...node.status, conditions: [{ type: "Ready", status: "True" }] }
})

/** A Pod that may go where this one may, and asks for so much. */
const sized = (
  { initContainers: _init, overhead: _overhead, ...spec }: PodSpec,
  { cpuMillis, memoryMillis }: Requests
): PodSpec => {
  const asked = { cpu: `${cpuMillis}m`, memory: `${memoryMillis}m` }
  return { ...spec, containers: [{ name: "largest", resources: { requests: asked } }] }
}

const amountText = ({ cpuMillis, memoryMillis }: Requests): string => {
  const amounts = amountsOf({ cpu: `${cpuMillis}m`, memory: `${memoryMillis}m` })
  return [...amounts]
    .filter(([, { nanos }]) => nanos > 0n)
    .map(([name, quantity]) => {
      const format = name === "memory" ? "binary" : "decimal"
      return `${name} ${formatQuantity({ ...quantity, format })}`
    })
    .join(", ")
}
