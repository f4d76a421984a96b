"""A vision transformer (Dosovitskiy et al., 2020): an image is a sequence of patches, each with a place."""
import situ

nn = situ.nn


class ViT(nn.Module):
    def __init__(self, width, heads, blocks, patch, size=8):
        self.patches = nn.Conv2d(width, patch, stride=patch)
        self.places = situ.variable(0.02 * situ.random.normal(situ.random.key(1), ((size // patch) ** 2, width)))
        self.blocks = [nn.TransformerEncoderLayer(width, heads, hidden=2 * width, norm_first=True, feed="gelu", dropout=0) for _ in range(blocks)]
        self.norm, self.head = nn.LayerNorm(), nn.Linear(10)

    def forward(self, x):
        x = self.patches(situ.expand_dims(x, axis=1))
        x = situ.permute_dims(situ.reshape(x, (x.shape[0], x.shape[1], -1)), (0, 2, 1)) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(situ.mean(self.norm(x), axis=1))


train, held_out = situ.data.digits().split(stratified=True)
net = ViT(32, 4, 2, 2)
adam = situ.optim.AdamW(net, lr=3e-3, weight_decay=0.05)
situ.optim.warmup(adam, 40)
trainer = situ.train.Trainer(max_epochs=25, batch=64, cosine=True)
trainer.fit(net, adam, train, held_out)
print(f"held-out accuracy {100 * trainer.accuracy:.2f} %")
assert trainer.accuracy > 0.93
