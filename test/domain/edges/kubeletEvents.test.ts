import { describe, expect, it } from "vitest"
import { kubeletEvents } from "../../../src/kubernetes/pods/containers/kubeletEvents.ts"
import { aPod } from "../../builders.ts"
import { anInit, aSidecar, someFacts } from "../someContainers.ts"
import type {
  ContainerFacts,
  ContainerEventName
} from "../../../src/kubernetes/pods/containers/containers.ts"

interface Told {
  readonly happening: ContainerEventName
  readonly facts?: ContainerFacts
  readonly policy?: string
  readonly image?: string
}

/** `Normal Pulled: text`, of a pull that took 1.25 s. */
const eventsOf = ({ happening, facts = someFacts("running"), policy, image = "web:v1" }: Told) => {
  const pulled = policy === undefined ? {} : { imagePullPolicy: policy }
  const pod = aPod({
    name: "web-1",
    uid: "u-1",
    spec: {
      containers: [{ name: "app", image, ...pulled }],
      initContainers: [
        { name: "setup", image: "init:v1" },
        { name: "side", image: "log:v1" }
      ]
    }
  })
  return kubeletEvents({ happening, facts, pod, pullMillis: 1250 }).map(
    ({ eventType, reason, message }) => `${eventType} ${reason}: ${message}`
  )
}

const again = someFacts("running", { restartCount: 1 })
const begun = ["Normal Created: Container created", "Normal Started: Container started"]
const present = 'Normal Pulled: Container image "web:v1" already present on machine'
const noAnswer = (probe: string) => `Warning Unhealthy: ${probe} probe failed: no answer`
const cannotParse = `Failed to apply default image tag "web v1": couldn't parse image reference "web v1"`

describe("the kubelet tells what happened to a container", () => {
  it.each<Told & { readonly why: string; readonly events: ReadonlyArray<string> }>([
    { why: "its image is fetched", happening: "pulling", events: ['Normal Pulling: Pulling image "web:v1"'] },
    {
      why: "its image was fetched",
      happening: "pulled",
      events: [
        'Normal Pulled: Successfully pulled image "web:v1" in 1.25s (1.25s including waiting). Image size: 0 bytes.'
      ]
    },
    { why: "its image was there", happening: "pulled", policy: "Never", events: [present] },
    {
      why: "its image may not be fetched",
      happening: "imageRefused",
      policy: "Never",
      events: [
        'Warning ErrImageNeverPull: Container image "web:v1" is not present with pull policy of Never',
        "Warning Failed: Error: ErrImageNeverPull"
      ]
    },
    {
      why: "its image has no name that could be read",
      happening: "imageRefused",
      image: "web v1",
      events: [
        `Warning InspectFailed: ${cannotParse}: invalid reference format`,
        "Warning Failed: Error: InvalidImageName"
      ]
    },
    {
      why: "the registry said no",
      happening: "pullFailed",
      facts: someFacts("pullFailed", { pullError: "manifest unknown" }),
      events: [
        'Warning Failed: Failed to pull image "web:v1": manifest unknown',
        "Warning Failed: Error: ErrImagePull"
      ]
    },
    {
      why: "the registry is asked again later",
      happening: "pullBackOff",
      events: ['Normal BackOff: Back-off pulling image "web:v1"', "Warning Failed: Error: ImagePullBackOff"]
    },
    { why: "it runs for the first time", happening: "started", events: begun },
    { why: "it runs again", happening: "started", facts: again, events: [present, ...begun] },
    { why: "it runs again", happening: "started", facts: again, policy: "Always", events: begun },
    { why: "it is no longer ready", happening: "unready", events: [noAnswer("Readiness")] },
    {
      why: "it has not started in time",
      happening: "startupFailed",
      events: [noAnswer("Startup"), "Normal Killing: Container app failed startup probe, will be restarted"]
    },
    {
      why: "it hangs",
      happening: "livenessFailed",
      events: [noAnswer("Liveness"), "Normal Killing: Container app failed liveness probe, will be restarted"]
    },
    {
      why: "one for init hangs",
      happening: "livenessFailed",
      facts: anInit("running"),
      events: [noAnswer("Liveness"), "Normal Killing: Init container setup failed liveness probe"]
    },
    {
      why: "it crashes again and again",
      happening: "crashBackOff",
      events: ["Warning BackOff: Back-off restarting failed container app in pod web-1_shop(u-1)"]
    },
    { why: "it is asked to stop", happening: "stopping", events: ["Normal Killing: Stopping container app"] },
    { why: "it has started", happening: "startupPassed", events: [] },
    { why: "it is ready", happening: "ready", events: [] },
    { why: "it has ended", happening: "exited", events: [] },
    { why: "it has stopped", happening: "stopped", events: [] }
  ])("$events: $why", ({ events, ...told }) => {
    expect(eventsOf(told)).toEqual(events)
  })

  it.each([
    { facts: someFacts("running"), path: "spec.containers{app}" },
    { facts: anInit("running"), path: "spec.initContainers{setup}" },
    { facts: aSidecar("running"), path: "spec.initContainers{side}" }
  ])("and which it was: $path", ({ facts, path }) => {
    const pod = aPod()
    const [event] = kubeletEvents({ happening: "stopping", facts, pod, pullMillis: 0 })
    expect(event?.fieldPath).toBe(path)
  })
})
