import { describe, expect, it } from "vitest"
import { makeSubscribers } from "../../../src/store/watch/subscribers.ts"

const aHouse = () => {
  const subscribers = makeSubscribers((item: string) => item.split(" ")[0] ?? "")
  let heard: Array<string> = []
  const hearing =
    (name: string, then: () => void = () => {}) =>
    (item: string): void => {
      heard.push(`${name}: ${item}`)
      then()
    }
  const deliver = (item: string): ReadonlyArray<string> => {
    heard = []
    subscribers.deliver(item)
    return heard
  }
  return { subscribers, hearing, deliver }
}

describe("subscribers", () => {
  it("get the items of their topics, in the order in which they came", () => {
    const { subscribers, hearing, deliver } = aHouse()
    subscribers.subscribe(hearing("pods and nodes"), ["pod", "node"])
    subscribers.subscribe(hearing("all"))
    subscribers.subscribe(hearing("pods"), ["pod"])

    expect(deliver("pod a")).toEqual(["pods and nodes: pod a", "all: pod a", "pods: pod a"])
    expect(deliver("node b")).toEqual(["pods and nodes: node b", "all: node b"])
    expect(deliver("event c")).toEqual(["all: event c"])
  })

  it("of a group share the place that the group has taken", () => {
    const { subscribers, hearing, deliver } = aHouse()
    const [early, late] = [subscribers.makeGroup(), subscribers.makeGroup()]
    early.attach()
    subscribers.subscribe(hearing("between"))
    late.subscribe(hearing("late"))
    const leave = early.subscribe(hearing("early"), ["pod"])
    early.subscribe(hearing("second"))

    expect(deliver("pod a")).toEqual(["early: pod a", "second: pod a", "between: pod a", "late: pod a"])
    leave()
    expect(deliver("pod b")).toEqual(["second: pod b", "between: pod b", "late: pod b"])
  })

  it("of a group get nothing while its items are diverted, except from the group itself", () => {
    const { subscribers, hearing, deliver } = aHouse()
    const group = subscribers.makeGroup()
    group.divert(hearing("diverted early"))
    expect(deliver("pod a")).toEqual([])
    group.subscribe(hearing("pods"), ["pod"])
    group.subscribe(hearing("nodes"), ["node"])
    group.divert(hearing("diverted", () => group.deliver("node late")))

    expect(deliver("pod a")).toEqual(["diverted: pod a", "nodes: node late"])
    group.divert(undefined)
    expect(deliver("pod a")).toEqual(["pods: pod a"])
  })

  it("that come or go during a delivery do so at once", () => {
    const { subscribers, hearing, deliver } = aHouse()
    let isFirst = true
    const onFirst = (): void => {
      if (!isFirst) return
      isFirst = false
      leaveBefore()
      leaveAfter()
      group.subscribe(hearing("in an earlier place"))
      subscribers.subscribe(hearing("new"), ["pod"])
    }
    const group = subscribers.makeGroup()
    group.attach()
    const leaveBefore = subscribers.subscribe(hearing("before"))
    subscribers.subscribe(hearing("changing", onFirst))
    const leaveAfter = subscribers.subscribe(hearing("after"))
    subscribers.subscribe(hearing("last"))

    expect(deliver("pod a")).toEqual(["before: pod a", "changing: pod a", "last: pod a", "new: pod a"])
    expect(deliver("pod b")).toEqual([
      "in an earlier place: pod b",
      "changing: pod b",
      "last: pod b",
      "new: pod b"
    ])
  })
})
