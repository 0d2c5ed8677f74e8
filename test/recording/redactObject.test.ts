import { describe, expect, it } from "vitest"
import { redactObject } from "../../src/recording/redactObject.ts"
import type { KubeObject } from "../../src/kubernetes/meta/objects.ts"

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

const aPod = (metadata: object, spec: object = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", uid: "a", ...metadata },
    spec
  }) as unknown as KubeObject

describe("an object in a recording", () => {
  it.each([
    { why: "no annotations", metadata: {}, kept: {} },
    { why: "empty annotations", metadata: { annotations: {} }, kept: { annotations: {} } },
    {
      why: "all annotations except the last applied configuration",
      metadata: { annotations: { team: "shop", [lastApplied]: "{}" } },
      kept: { annotations: { team: "shop" } }
    }
  ])("keeps $why", ({ metadata, kept }) => {
    expect(redactObject(aPod(metadata)).metadata).toEqual({ name: "web", uid: "a", ...kept })
  })

  it.each([
    { why: "text", container: "app" },
    { why: "null", container: null }
  ])("keeps a container that is $why unchanged", ({ container }) => {
    const pod = aPod({}, { containers: [container] })
    expect(redactObject(pod)).toEqual(pod)
  })

  it("has no environment value or command of a CronJob, and of a ControllerRevision only the images", () => {
    const secret = {
      name: "app",
      image: "app:1",
      command: ["secret"],
      env: [{ name: "KEY", value: "secret" }]
    }
    const redacted = { name: "app", image: "app:1", env: [{ name: "KEY" }] }
    const template = (container: object) => ({ spec: { containers: [container] } })
    const cronJob = (container: object) => ({
      ...aPod({}, { schedule: "* * * * *", jobTemplate: { spec: { template: template(container) } } }),
      kind: "CronJob"
    })
    expect(redactObject(cronJob(secret))).toEqual(cronJob(redacted))
    const revision = { ...aPod({}), kind: "ControllerRevision", revision: 2 }
    expect(
      redactObject({ ...revision, data: { spec: { template: template(secret) } } } as KubeObject)
    ).toEqual({
      ...revision,
      data: { spec: { template: template({ name: "app", image: "app:1" }) } }
    })
    expect(redactObject(revision as KubeObject)).toEqual({ ...revision, data: {} })
  })
})
