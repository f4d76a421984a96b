"""A variational autoencoder (Kingma and Welling, 2013) on the digits that come with the library: 64 pixels through 8 numbers."""
import situ

nn, random = situ.nn, situ.random
latent = 8


class VAE(nn.Module):
    def __init__(self):
        self.encoder = nn.Sequential(nn.Linear(64), nn.ReLU(), nn.Linear(2 * latent))
        self.decoder = nn.Sequential(nn.Linear(64), nn.ReLU(), nn.Linear(64))

    def forward(self, x, noise):
        code = self.encoder(x)
        mean, logvar = code[:, :latent], code[:, latent:]
        return self.decoder(mean + situ.exp(logvar / 2) * noise), mean, logvar


net = VAE()
adam = situ.optim.Adam(net, lr=3e-3)
loader = situ.data.Loader(situ.data.digits(), batch=64, shuffle=True, drop_last=True)
step = 0
for epoch in range(1, 61):
    total = 0
    for images, _ in loader:
        x = situ.reshape(images, (-1, 64))  # pixels are 0 to 1
        score, mean, logvar = net(x, random.normal(random.key(step), (64, latent)))
        # over the pixels of an image; and how far its codes are from a normal distribution
        missed = situ.sum(nn.binary_cross_entropy_with_logits(score, x, reduction="none"), axis=1)
        apart = situ.sum(mean**2 + situ.exp(logvar) - logvar - 1, axis=1)
        loss = situ.mean(missed + apart / 2)
        adam.step(loss)
        total, step = total + loss, step + 1
    if epoch % 20 == 0:
        print(f"epoch {epoch}: loss {float(total) / len(loader):.2f}")

for pixels in situ.sigmoid(net.decoder(random.normal(random.key(99), (2, latent)))):
    print("a digit that nobody wrote:")
    for row in situ.reshape(pixels, (8, 8)).tolist():
        print("".join(" .:-=+*#%@"[int(9.99 * min(max(p, 0), 1))] for p in row))
assert float(total) / len(loader) < 35
