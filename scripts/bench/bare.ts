import { createActor } from "xstate"
import { drawLife } from "../../src/behaviours/drawLife.ts"
import { steady } from "../../src/behaviours/builtInBehaviours.ts"
import { compile } from "../../src/compiler/compile.ts"
import { makeKernel } from "../../src/runtime/time/kernel.ts"
import { podMachine } from "../../machines/pod.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"

const seed = 1
/** All turns and timers are equal: they run in order of arrival. */
const turnOrder = 0

/**
 * What the same Pods cost as bare actors: the same chart, compiled as in a cluster, and the same timers, without store,
 * controllers and events. Returns microseconds of CPU time per Pod, from creation to ready.
 */
export const bareCpuMicrosPerPod = (count: number): number => {
  const kernel = makeKernel({ startMillis: 0 })
  const clock = {
    setTimeout: (run: () => void, millis: number) => kernel.after(millis, turnOrder, run),
    clearTimeout: (timer: Parameters<typeof kernel.cancel>[0] | undefined) => {
      if (timer !== undefined) kernel.cancel(timer)
    }
  }
  const logic = compile(podMachine)
  const cpuBefore = process.cpuUsage()
  for (let index = 0; index < count; index += 1) {
    const pod = podCalled(`pod-${index}`)
    const life = drawLife(steady, seed, pod.metadata.uid)
    const actor = createActor(logic, { clock })
    const observePod = (observed: Pod): void =>
      actor.send({
        type: "observed",
        seen: { pod: observed, life, kubelet: "reachable", nowMillis: kernel.nowMillis() }
      })
    actor.on("requestBinding", () =>
      kernel.post(turnOrder, () => observePod({ ...pod, spec: { ...pod.spec, nodeName: "node-1" } }))
    )
    actor.subscribe({ error: (error) => process.stderr.write(`${String(error)}\n`) })
    actor.start()
    observePod(pod)
  }
  kernel.advanceTo(60_000)
  const { user, system } = process.cpuUsage(cpuBefore)
  return (user + system) / count
}

const podCalled = (name: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "default",
    uid: name,
    resourceVersion: "1",
    creationTimestamp: "1970-01-01T00:00:00Z"
  },
  spec: { containers: [{ name: "app", image: "registry.example/app:v1" }] },
  status: { phase: "Pending" }
})
