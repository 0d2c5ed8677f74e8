import { parseQuantity, quantityMillis } from "./quantity.ts"
import type { PodSpec } from "./objects.ts"

/**
 * What a Pod asks of its node: the sum over its containers, or its greediest init container where that is more.
 *
 * Source: staging/src/k8s.io/component-helpers/resource/helpers.go (PodRequests).
 */
export interface Requests {
  readonly cpuMillis: bigint
  /** Thousandths of a byte, like every amount here. */
  readonly memoryMillis: bigint
}

export const noRequests: Requests = { cpuMillis: 0n, memoryMillis: 0n }

type Containers = NonNullable<PodSpec["containers"]>

/** The Pods of one ReplicaSet share their containers: the sum is made once. */
const remembered = new WeakMap<Containers, Requests>()

export const requestsOf = (spec: PodSpec): Requests => {
  const known = remembered.get(spec.containers)
  if (known !== undefined) return known
  const requests = {
    cpuMillis: amountOf(spec, "cpu"),
    memoryMillis: amountOf(spec, "memory")
  }
  if (Object.isFrozen(spec.containers)) remembered.set(spec.containers, requests)
  return requests
}

const amountOf = (spec: PodSpec, resource: string): bigint => {
  const requested = (containers: Containers): ReadonlyArray<bigint> =>
    containers.map((it) => millis(it.resources?.requests?.[resource]))
  const running = requested(spec.containers).reduce((sum, amount) => sum + amount, 0n)
  return requested(spec.initContainers ?? []).reduce(
    (most, amount) => (amount > most ? amount : most),
    running
  )
}

/** An amount as a node or a container states it; 0 where nothing is said. */
export const millis = (text: string | undefined): bigint => {
  const quantity = text === undefined ? undefined : parseQuantity(text)
  return quantity === undefined ? 0n : quantityMillis(quantity)
}
