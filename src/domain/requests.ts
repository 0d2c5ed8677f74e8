import { parseQuantity, quantityMillis } from "./quantity.ts"
import type { PodSpec } from "./objects.ts"

/**
 * What a Pod asks of its node: the sum over all that run together, or what it takes at its greediest while it starts
 * where that is more. A sidecar runs from its turn among the init containers on.
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
const remembered = new WeakMap<Containers, { readonly of: PodSpec; readonly requests: Requests }>()

export const requestsOf = (spec: PodSpec): Requests => {
  const known = remembered.get(spec.containers)
  if (known !== undefined && isSameBeside(known.of, spec)) {
    return known.requests
  }
  const requests = {
    cpuMillis: amountOf(spec, "cpu"),
    memoryMillis: amountOf(spec, "memory")
  }
  if (Object.isFrozen(spec.containers)) remembered.set(spec.containers, { of: spec, requests })
  return requests
}

const isSameBeside = (a: PodSpec, b: PodSpec): boolean =>
  a.initContainers === b.initContainers && a.overhead === b.overhead

const amountOf = (spec: PodSpec, resource: string): bigint => {
  const asks = ({ resources }: Containers[number]): bigint => millis(resources?.requests?.[resource])
  let sidecars = 0n
  let greediest = 0n
  for (const container of spec.initContainers ?? []) {
    const amount = asks(container)
    const isSidecar = container.restartPolicy === "Always"
    greediest = larger(greediest, sidecars + amount)
    if (isSidecar) sidecars += amount
  }
  const running = spec.containers.reduce((sum, container) => sum + asks(container), sidecars)
  return larger(running, greediest) + millis(spec.overhead?.[resource])
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** An amount as a node or a container states it; 0 where nothing is said. */
export const millis = (text: string | undefined): bigint => {
  const quantity = text === undefined ? undefined : parseQuantity(text)
  return quantity === undefined ? 0n : quantityMillis(quantity)
}
