import { describe, expect, it } from "vitest"
import { makeSubscribers } from "../../../src/store/watch/subscribers.ts"

const makeFixture = () => {
  const subscribers = makeSubscribers({ topicOf: (item: string) => item.split(" ")[0] ?? "" })
  let received: Array<string> = []
  const subscriberNamed =
    (name: string, then: () => void = () => {}) =>
    (item: string): void => {
      received.push(`${name}: ${item}`)
      then()
    }
  const deliver = (item: string): ReadonlyArray<string> => {
    received = []
    subscribers.deliver(item)
    return received
  }
  return { subscribers, subscriberNamed, deliver }
}

describe("subscribers", () => {
  it("get the items of their topics, in the order in which they came", () => {
    const { subscribers, subscriberNamed, deliver } = makeFixture()
    subscribers.subscribe(subscriberNamed("pods and nodes"), ["pod", "node"])
    subscribers.subscribe(subscriberNamed("all"))
    subscribers.subscribe(subscriberNamed("pods"), ["pod"])

    expect(deliver("pod a")).toEqual(["pods and nodes: pod a", "all: pod a", "pods: pod a"])
    expect(deliver("node b")).toEqual(["pods and nodes: node b", "all: node b"])
    expect(deliver("event c")).toEqual(["all: event c"])
  })

  it("of a group share the place that the group has taken", () => {
    const { subscribers, subscriberNamed, deliver } = makeFixture()
    const [early, late] = [subscribers.makeGroup(), subscribers.makeGroup()]
    early.attach()
    subscribers.subscribe(subscriberNamed("between"))
    late.subscribe(subscriberNamed("late"))
    const leave = early.subscribe(subscriberNamed("early"), ["pod"])
    early.subscribe(subscriberNamed("second"))

    expect(deliver("pod a")).toEqual(["early: pod a", "second: pod a", "between: pod a", "late: pod a"])
    leave()
    expect(deliver("pod b")).toEqual(["second: pod b", "between: pod b", "late: pod b"])
  })

  it("of a group get nothing while its items are diverted, except from the group itself", () => {
    const { subscribers, subscriberNamed, deliver } = makeFixture()
    const group = subscribers.makeGroup()
    group.divert(subscriberNamed("diverted early"))
    expect(deliver("pod a")).toEqual([])
    group.subscribe(subscriberNamed("pods"), ["pod"])
    group.subscribe(subscriberNamed("nodes"), ["node"])
    group.divert(subscriberNamed("diverted", () => group.deliver("node late")))

    expect(deliver("pod a")).toEqual(["diverted: pod a", "nodes: node late"])
    group.divert(undefined)
    expect(deliver("pod a")).toEqual(["pods: pod a"])
  })

  it("that come or go during a delivery do so at once", () => {
    const { subscribers, subscriberNamed, deliver } = makeFixture()
    let isFirst = true
    const onFirst = (): void => {
      if (!isFirst) return
      isFirst = false
      leaveBefore()
      leaveAfter()
      group.subscribe(subscriberNamed("in an earlier place"))
      subscribers.subscribe(subscriberNamed("new"), ["pod"])
    }
    const group = subscribers.makeGroup()
    group.attach()
    const leaveBefore = subscribers.subscribe(subscriberNamed("before"))
    subscribers.subscribe(subscriberNamed("changing", onFirst))
    const leaveAfter = subscribers.subscribe(subscriberNamed("after"))
    subscribers.subscribe(subscriberNamed("last"))

    expect(deliver("pod a")).toEqual(["before: pod a", "changing: pod a", "last: pod a", "new: pod a"])
    expect(deliver("pod b")).toEqual([
      "in an earlier place: pod b",
      "changing: pod b",
      "last: pod b",
      "new: pod b"
    ])
  })
})
