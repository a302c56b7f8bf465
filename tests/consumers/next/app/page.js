import { createElement } from "react";
import { load as single } from "sqrtdk/single";
import { useAll } from "../use.js";
import { Client } from "./client.js";

export default async function Page() {
  const used = await useAll({ single });
  return [
    createElement("pre", { key: "server", id: "server" }, JSON.stringify(used)),
    createElement(Client, { key: "client" }),
  ];
}
