import { addQuantities, compareQuantities, parseQuantity } from "./quantity.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { PodSpec } from "./objects.ts"
import type { Quantity } from "./quantity.ts"

/** Amounts by the name of their resource: `cpu`, `requests.memory`, `count/deployments.apps`. */
export type Amounts = ReadonlyMap<string, Quantity>

/** The same as it stands in an object. */
export type AmountTexts = Readonly<Record<string, string>>

/** What is asked for, or what may at most be used. */
type Side = "requests" | "limits"

/** What is no amount is left out; validation has told of it. */
export const amountsOf = (texts: AmountTexts | undefined): Amounts => {
  const amounts = new Map<string, Quantity>()
  for (const [name, text] of Object.entries(texts ?? {})) {
    const quantity = parseQuantity(text)
    if (quantity !== undefined) amounts.set(name, quantity)
  }
  return amounts
}

/**
 * What a Pod asks for or is limited to: its containers and sidecars in sum, or its greediest step of initialization
 * where that is more; what the Pod states for itself counts instead.
 *
 * Source: staging/src/k8s.io/component-helpers/resource/helpers.go (AggregateContainerRequests,
 * AggregateContainerLimits, PodRequests).
 */
export const podAmounts = (spec: PodSpecWithResources, side: Side): Amounts => {
  const running = new Map<string, Quantity>()
  const sidecars = new Map<string, Quantity>()
  const peaks = new Map<string, Quantity>()
  for (const { resources } of spec.containers) add(running, amountsOf(resources?.[side]))
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const amounts = amountsOf(resources?.[side])
    if (restartPolicy === "Always") {
      add(running, amounts)
      add(sidecars, amounts)
    } else {
      const step = new Map(sidecars)
      add(step, amounts)
      raise(peaks, step)
    }
  }
  raise(running, peaks)
  for (const [name, quantity] of amountsOf(spec.resources?.[side])) {
    if (isStatedByPods(name)) running.set(name, quantity)
  }
  return running
}

/** Resources of the Pod as a whole came with 1.32 and are not in the published types yet. */
export type PodSpecWithResources = PodSpec & { readonly resources?: Readonly<Core.ResourceRequirements> }

const isStatedByPods = (name: string): boolean =>
  name === "cpu" || name === "memory" || name.startsWith("hugepages-")

/** The amounts with what running the Pod costs on top; no limit is made where there is none. */
export const withOverhead = (amounts: Amounts, spec: PodSpec, side: Side): Amounts => {
  const overhead = [...amountsOf(spec.overhead)].filter(([name]) => side === "requests" || amounts.has(name))
  const sum = new Map(amounts)
  add(sum, new Map(overhead))
  return sum
}

const add = (sum: Map<string, Quantity>, amounts: Amounts): void => {
  for (const [name, quantity] of amounts) {
    const present = sum.get(name)
    sum.set(name, present === undefined ? quantity : addQuantities(present, quantity))
  }
}

const raise = (most: Map<string, Quantity>, amounts: Amounts): void => {
  for (const [name, quantity] of amounts) {
    const present = most.get(name)
    if (present === undefined || compareQuantities(quantity, present) > 0) most.set(name, quantity)
  }
}
