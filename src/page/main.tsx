import { render } from "preact"
import { App, NoToken } from "./app.tsx"
import { connect } from "./connection.ts"
import { hearKeys } from "./keyboard.ts"
import { keep } from "./kept.ts"
import { openWorld, WorldContext } from "./world.ts"
import { takeToken } from "./token.ts"

const begin = (): void => {
  const token = takeToken()
  if (token === undefined) {
    render(<NoToken />, document.body)
    return
  }
  const world = openWorld(connect(token))
  const help = keep(false)
  hearKeys({ go: world.go, help: help.set })
  render(
    <WorldContext.Provider value={world}>
      <App help={help} />
    </WorldContext.Provider>,
    document.body
  )
}

begin()
// Another token came by the address bar: the page begins anew with it.
window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) location.reload()
})
