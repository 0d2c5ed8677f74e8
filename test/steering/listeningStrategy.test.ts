import { expect, it } from "vitest"
import { rollingUpdate } from "../../machines/strategies/rollingUpdate.ts"
import { annotateDeployment, annotationOf } from "../../src/strategies.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { address, setImage, webDeployment } from "./steeredShop.ts"
import type { DeploymentObservation, Strategy } from "../../src/strategies.ts"

const heard = "example.com/heard"

const steeredReason = ({ status }: DeploymentObservation["deployment"]): string =>
  conditionOf(status.conditions, "charthouse.dev/Steered")?.reason ?? "None"

/** A rolling update that records what the steering report says. */
const listening: Strategy = {
  ...rollingUpdate,
  type: "Listening",
  state: "listening",
  guards: {
    ...rollingUpdate.guards,
    hearsNews: ({ deployment }) => annotationOf(deployment, heard) !== steeredReason(deployment)
  },
  commands: {
    ...rollingUpdate.commands,
    recordNews: ({ deployment }) => annotateDeployment({ [heard]: steeredReason(deployment) })
  },
  chart: {
    initial: "hearing",
    states: {
      hearing: {
        always: [{ guard: "hearsNews", target: "recording" }, { target: rollingUpdate.chart.initial }]
      },
      recording: { entry: ["recordNews", "reportStatus"] },
      ...rollingUpdate.chart.states
    }
  }
}

it("a strategy of one's own gets to see each steering report", async () => {
  await using cluster = await openCluster({ seed: 7, strategies: [listening] })
  const steering = "canary: { steps: [{ approve: 1 }, { hold: 5m }] }"
  await cluster.create(
    webDeployment(steering, {
      isGated: true,
      spec: { strategy: { type: "Listening", rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } }
    }) as never
  )
  const reports: Array<string> = []
  const wait = async (duration: string): Promise<void> => {
    await cluster.advance(duration)
    const deployment = await cluster.get(address)
    expect(annotationOf(deployment, heard)).toBe(steeredReason(deployment))
    reports.push(steeredReason(deployment))
  }
  await wait("1m")
  await setImage(cluster, "web:2")
  await wait("1m")
  await wait("10m")
  expect(reports).toEqual(["Complete", "Holding", "Complete"])
})
