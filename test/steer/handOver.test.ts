import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hashOfPod, isSteeredAs, openSteeredNamespace } from "./steeredNamespace.ts"
import { isApproved } from "../../src/kubernetes/steering/podApproval.ts"
import { openSteerTarget } from "./steerTarget.ts"
import { startSteerProcess } from "./steerProcess.ts"
import type { LeaseObject } from "../../src/client/leaderElection.ts"
import type { SteerProcess } from "./steerProcess.ts"
import type { SteeredNamespace } from "./steeredNamespace.ts"
import type { SteerTarget } from "./steerTarget.ts"

/** Two processes `charthouse steer`, and the Lease between them. */

const strategy = "canary: { steps: [{ approve: 1 }, { hold: untilPromoted }] }"
const gated = {
  replicas: 4,
  isGated: true,
  spec: { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } }
}
const leaseMillis = 6000
const leaseFlags = [`--lease-duration=${leaseMillis}ms`, "--renew-deadline=4s", "--retry-period=500ms"]

describe("two steering processes", () => {
  let target: SteerTarget
  beforeAll(async () => {
    target = await openSteerTarget({ speed: 1 })
  })
  afterAll(() => target.close())

  /** A canary that holds, the process that leads and the one that waits. */
  const openHolding = async (flags: ReadonlyArray<string> = leaseFlags) => {
    const stack = new AsyncDisposableStack()
    const place = stack.use(await openSteeredNamespace(target))
    const first = stack.use(startSteerProcess(place, flags))
    await first.untilLogged("leading")
    const second = stack.use(startSteerProcess(place, flags))
    await second.untilLogged("all objects are known")
    await place.create(strategy, gated)
    await place.until("the first revision is complete", isSteeredAs("Complete", "revision 1 "))
    const seen = place.observe()
    await place.setImage("web:2")
    await place.until("the canary holds", isSteeredAs("Holding", "revision 2 "))
    expect(isLeading(second)).toBe(false)
    return { place, first, second, seen, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }
  const holderOf = async ({ name }: SteeredNamespace): Promise<string> => {
    const address = { resource: "leases.coordination.k8s.io", name: "charthouse-steer", namespace: name }
    const lease = (await target.cluster.get(address)) as LeaseObject
    return lease.spec.holderIdentity ?? ""
  }
  const completeBy = async (place: SteeredNamespace, revision: number): Promise<void> => {
    await place.annotate("promote", "all")
    await place.until("it is complete", isSteeredAs("Complete", `revision ${revision} `))
    await place.untilPods("all Pods are of one approved revision", (pods) => {
      const approved = pods.filter(isApproved)
      return approved.length === 4 && pods.length === 4 && new Set(pods.map(hashOfPod)).size === 1
    })
  }

  it("go on after the Lease has run out, and no sooner, when the leader is killed", async () => {
    await using opened = await openHolding()
    const { place, first, second, seen } = opened
    const began = performance.now()
    first.signal("SIGKILL")
    const { identity } = await second.untilLogged("leading")
    // The last renewal came up to one retry before.
    expect(performance.now() - began).toBeGreaterThan(leaseMillis - 1000)
    await completeBy(place, 2)
    expect(await holderOf(place)).toBe(identity)
    expect([await first.ended, seen.readyMin(), seen.approvedAgain()]).toEqual(["SIGKILL", 4, []])
  })

  it("are not disturbed by a leader that was stopped for longer than its Lease and goes on", async () => {
    await using opened = await openHolding()
    const { place, first, second, seen } = opened
    first.signal("SIGSTOP")
    const { identity } = await second.untilLogged("leading")
    await completeBy(place, 2)
    const before = first.log.length
    // It hears of all that has changed at the moment when it goes on.
    await place.setImage("web:3")
    first.signal("SIGCONT")
    await first.untilLogged("no longer leading", before)
    await place.until("the canary holds", isSteeredAs("Holding", "revision 3 "))
    await completeBy(place, 3)
    expect(first.log.slice(before).filter(({ message }) => message === "performed")).toEqual([])
    expect(await holderOf(place)).toBe(identity)
    expect([seen.readyMin(), seen.approvedAgain()]).toEqual([4, []])
  })

  it("hand over at once when the leader is asked to end", async () => {
    // Without a release it would take 15 s.
    await using opened = await openHolding(["--retry-period=500ms"])
    const { place, first, second, seen } = opened
    const began = performance.now()
    first.signal("SIGTERM")
    await second.untilLogged("leading")
    expect(performance.now() - began).toBeLessThan(8000)
    expect(await first.ended).toBe(0)
    await completeBy(place, 2)
    expect([seen.readyMin(), seen.approvedAgain()]).toEqual([4, []])
  })
})

const isLeading = ({ log }: SteerProcess): boolean => log.some(({ message }) => message === "leading")
