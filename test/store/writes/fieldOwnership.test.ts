import { expect, it } from "vitest"
import { aDeploymentDraft, aStore, run, withChanges } from "../testStore.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"

it("a status write that changes nothing makes no version, however many managers have written before", () => {
  const { store } = aStore()
  const report = (object: KubeObject, replicas: number, manager: string) =>
    run(store.updateStatus(withChanges(object, {}, { status: { replicas } }), { manager }))
  let web = run(store.create(aDeploymentDraft(), { manager: "kubectl" }))
  for (let replicas = 1; replicas < 30; replicas += 1) {
    web = report(web, replicas, replicas % 2 === 0 ? "even" : "odd")
    expect(report(web, replicas, "third")).toBe(web)
  }
})
