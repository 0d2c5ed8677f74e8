import { describe, expect, it } from "vitest"
import { kubeletEvents } from "../../../../src/kubernetes/pods/containers/kubeletEvents.ts"
import { aPod } from "../../../builders.ts"
import { anInit, aSidecar, someFacts } from "../containerFixtures.ts"
import type {
  ContainerFacts,
  ContainerEventName
} from "../../../../src/kubernetes/pods/containers/containers.ts"

interface EventCase {
  readonly happening: ContainerEventName
  readonly facts?: ContainerFacts
  readonly policy?: string
  readonly image?: string
}

/** `Normal Pulled: text`, for a pull that took 1.25 s. */
const eventsOf = ({ happening, facts = someFacts("running"), policy, image = "web:v1" }: EventCase) => {
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
  return kubeletEvents({ eventName: happening, facts, pod, pullMillis: 1250 }).map(
    ({ eventType, reason, message }) => `${eventType} ${reason}: ${message}`
  )
}

const again = someFacts("running", { restartCount: 1 })
const createdAndStarted = ["Normal Created: Container created", "Normal Started: Container started"]
const present = 'Normal Pulled: Container image "web:v1" already present on machine'
const noAnswer = (probe: string) => `Warning Unhealthy: ${probe} probe failed: no answer`
const cannotParse = `Failed to apply default image tag "web v1": couldn't parse image reference "web v1"`

describe("the events of the kubelet about a container", () => {
  it.each<EventCase & { readonly why: string; readonly events: ReadonlyArray<string> }>([
    { why: "its image is pulled", happening: "pulling", events: ['Normal Pulling: Pulling image "web:v1"'] },
    {
      why: "its image was pulled",
      happening: "pulled",
      events: [
        'Normal Pulled: Successfully pulled image "web:v1" in 1.25s (1.25s including waiting). Image size: 0 bytes.'
      ]
    },
    { why: "its image was present", happening: "imageFound", events: [present] },
    {
      why: "its image may not be pulled",
      happening: "imageRefused",
      policy: "Never",
      events: [
        'Warning ErrImageNeverPull: Container image "web:v1" is not present with pull policy of Never',
        "Warning Failed: Error: ErrImageNeverPull"
      ]
    },
    {
      why: "its image has an invalid name",
      happening: "imageRefused",
      image: "web v1",
      events: [
        `Warning InspectFailed: ${cannotParse}: invalid reference format`,
        "Warning Failed: Error: InvalidImageName"
      ]
    },
    {
      why: "the pull failed",
      happening: "pullFailed",
      facts: someFacts("pullFailed", { pullError: "manifest unknown" }),
      events: [
        'Warning Failed: Failed to pull image "web:v1": manifest unknown',
        "Warning Failed: Error: ErrImagePull"
      ]
    },
    {
      why: "the pull waits for its back-off",
      happening: "pullBackOff",
      events: ['Normal BackOff: Back-off pulling image "web:v1"', "Warning Failed: Error: ImagePullBackOff"]
    },
    { why: "its first run starts", happening: "started", events: createdAndStarted },
    {
      why: "a later run starts",
      happening: "started",
      facts: again,
      events: [present, ...createdAndStarted]
    },
    {
      why: "a later run starts after a pull",
      happening: "started",
      facts: again,
      policy: "Always",
      events: createdAndStarted
    },
    { why: "its readiness probe failed", happening: "unready", events: [noAnswer("Readiness")] },
    {
      why: "its startup probe failed",
      happening: "startupFailed",
      events: [noAnswer("Startup"), "Normal Killing: Container app failed startup probe, will be restarted"]
    },
    {
      why: "its liveness probe failed",
      happening: "livenessFailed",
      events: [noAnswer("Liveness"), "Normal Killing: Container app failed liveness probe, will be restarted"]
    },
    {
      why: "an init container's liveness probe failed",
      happening: "livenessFailed",
      facts: anInit("running"),
      events: [noAnswer("Liveness"), "Normal Killing: Init container setup failed liveness probe"]
    },
    {
      why: "its restart waits for its back-off",
      happening: "crashBackOff",
      events: ["Warning BackOff: Back-off restarting failed container app in pod web-1_shop(u-1)"]
    },
    { why: "it is stopped", happening: "stopping", events: ["Normal Killing: Stopping container app"] },
    { why: "it has started", happening: "startupPassed", events: [] },
    { why: "it is ready", happening: "ready", events: [] },
    { why: "it has ended", happening: "exited", events: [] },
    { why: "it has stopped", happening: "stopped", events: [] }
  ])("are $events when $why", ({ events, ...eventCase }) => {
    expect(eventsOf(eventCase)).toEqual(events)
  })

  it.each([
    { facts: someFacts("running"), path: "spec.containers{app}" },
    { facts: anInit("running"), path: "spec.initContainers{setup}" },
    { facts: aSidecar("running"), path: "spec.initContainers{side}" }
  ])("name the container: $path", ({ facts, path }) => {
    const pod = aPod()
    const [event] = kubeletEvents({ eventName: "stopping", facts, pod, pullMillis: 0 })
    expect(event?.fieldPath).toBe(path)
  })
})
